import { describe, expect, it } from 'vitest'
import { objections } from './_axe.ts'
import { browser } from './context.ts'
import { openPage, panel, rowOf, shownFrame, submit, tab } from './_setup.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const mime = (type: string, parts: [header: string, body: string][], ...head: string[]): Buffer =>
  Buffer.from(
    [
      'From: Grace <grace@example.com>',
      'To: ada@example.com',
      ...head,
      'MIME-Version: 1.0',
      `Content-Type: ${type}; boundary="b"`,
      '',
      ...parts.flatMap(([header, body]) => ['--b', header, '', body]),
      '--b--',
      '',
    ].join('\r\n'),
  )

describe('the files of a mail', () => {
  it('are under its body, pictures as pictures that open in a tab, anything else as downloads', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      subject: 'With files',
      html: '<img src="cid:logo" width="40"><p>Hello</p>',
      attachments: [
        { filename: 'logo.png', cid: 'logo', content: png },
        { filename: 'photo.png', content: png },
        {
          filename: 'page.html',
          contentType: 'text/html',
          content: '<script>document.title = "ran"</script>',
        },
        { filename: 'drawing.svg', contentType: 'image/svg+xml', content: '<svg onload="alert(1)"/>' },
      ],
    })
    await rowOf(page, 'With files').click()
    const files = page.getByRole('region', { name: 'Attached files' })
    await files.getByRole('heading', { name: '4 attachments, 1 of them in the body' }).waitFor()
    // The picture of the body is not there twice.
    await expect.poll(() => files.getByText('logo.png').count()).toBe(0)
    await expect.poll(() => files.locator('img').count()).toBe(1)
    await expect.poll(() => files.locator('img').evaluate((one) => Reflect.get(one, 'naturalWidth'))).toBe(1)
    const below = await files.boundingBox()
    const body = await page.locator(shownFrame).boundingBox()
    expect(below?.y).toBeGreaterThanOrEqual((body?.y ?? 0) + (body?.height ?? 0) - 1)

    const [opened] = await Promise.all([
      browser.context.waitForEvent('page'),
      files.getByRole('link', { name: /^photo\.png/ }).press('Enter'),
    ])
    await opened.waitForLoadState()
    expect(new URL(opened.url()).pathname).toMatch(/\/attachments\/1$/)
    expect(await opened.evaluate(() => window.opener)).toBeNull()
    await opened.close()
    for (const name of ['page.html', 'drawing.svg']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        files.getByRole('link', { name: new RegExp(`^${name}`) }).click(),
      ])
      expect(download.suggestedFilename()).toBe(name)
    }
    // A mail without further files has no such place.
    await submit(post, { subject: 'Without', text: 'x' })
    await rowOf(page, 'Without').click()
    await panel(page).getByText('x', { exact: true }).waitFor()
    await expect.poll(() => files.count()).toBe(0)
  })

  it('that are mails open as mails, at any depth, and run nothing', async () => {
    const { post, page } = await openPage()
    const inner = [
      'From: Zoe <zoe@example.com>',
      'Subject: The inner one',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="i"',
      '',
      '--i',
      'Content-Type: text/html',
      '',
      '<p>Inner body</p><a href="https://inner.example/x">Go</a><script>parent.document.title = "ran"</script><img src=x onerror="parent.document.title=1">',
      '--i',
      'Content-Type: message/rfc822',
      '',
      'Subject: Deepest',
      '',
      'Deep text',
      '--i--',
    ].join('\r\n')
    await post.inbox.import(
      mime(
        'multipart/mixed',
        [
          ['Content-Type: text/plain', 'See below.'],
          ['Content-Type: message/rfc822', inner],
        ],
        'Subject: Fwd',
      ),
    )
    await rowOf(page, 'Fwd').click()
    await page.getByRole('button', { name: /^message\.eml/ }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'The inner one' })
    await dialog.getByText('Zoe <zoe@example.com>').waitFor()
    const frame = dialog.frameLocator('iframe')
    await frame.getByText('Inner body').waitFor()
    const [opened] = await Promise.all([
      browser.context.waitForEvent('page'),
      frame.getByRole('link', { name: 'Go' }).click(),
    ])
    await opened.close()
    expect(await objections(page)).toEqual([])
    await dialog.getByRole('button', { name: /^message\.eml/ }).click()
    await page.getByRole('dialog', { name: 'Deepest' }).getByText('Deep text').waitFor()
    await page.getByRole('button', { name: 'Back to the mail around it' }).click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.title()).toMatch(/Fwd · Localpost$/)
    // The list of attachments opens it too.
    await tab(page, 'Attachments').click()
    await panel(page).getByRole('button', { name: 'Open message.eml' }).click()
    await dialog.waitFor()
  })

  it('with an invitation show an event, and a delivery report its result', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      subject: 'Please come',
      text: 'x',
      icalEvent: {
        method: 'REQUEST',
        content: [
          'BEGIN:VCALENDAR',
          'METHOD:REQUEST',
          'BEGIN:VEVENT',
          'SUMMARY:Design review <b>bold</b>',
          'DTSTART:20261203T140000Z',
          'ATTENDEE;PARTSTAT=ACCEPTED:mailto:ada@example.com',
          'END:VEVENT',
          'END:VCALENDAR',
        ].join('\r\n'),
      },
    })
    await rowOf(page, 'Please come').click()
    const event = page.getByRole('region', { name: 'Event' })
    await event.getByRole('heading', { name: 'Design review <b>bold</b>' }).waitFor()
    await event.getByText('3 December 2026, 14:00 (UTC)').waitFor()
    await event.getByText('accepted').waitFor()
    expect(await objections(page)).toEqual([])

    const status = [
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; nobody@example.com',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 No such user',
    ].join('\r\n')
    await post.inbox.import(
      mime(
        'multipart/report; report-type=delivery-status',
        [
          ['Content-Type: text/plain', 'It failed.'],
          ['Content-Type: message/delivery-status', status],
        ],
        'Subject: Undelivered',
      ),
    )
    await rowOf(page, 'Undelivered').click()
    const report = page.getByRole('region', { name: 'Delivery report' })
    await report.getByText('Not delivered to nobody@example.com').waitFor()
    await report.getByText('550 5.1.1 No such user').waitFor()
    await report.getByText('Reported by mx.example.com').waitFor()
    await expect.poll(() => event.count()).toBe(0)
    expect(await objections(page)).toEqual([])
  })
})

it('the dialog of a nested mail asks about its remote content', async () => {
  const { post, page } = await openPage()
  const inner =
    'Subject: Inner\r\nContent-Type: text/html\r\n\r\n<p>Hello</p><img src="http://127.0.0.1:9/a.png">'
  await post.inbox.import(
    mime('multipart/mixed', [
      ['Content-Type: text/plain', 'See below'],
      ['Content-Type: message/rfc822', inner],
    ]),
  )
  await page.getByRole('region', { name: 'Attached files' }).getByRole('button').first().click()
  const dialog = page.getByRole('dialog', { name: 'Inner' })
  await dialog.getByText('Remote images are not loaded').waitFor()
  await dialog.getByRole('button', { name: 'Load them' }).click()
  await expect.poll(() => dialog.locator('iframe').getAttribute('src')).toContain('remote=all')
  await expect.poll(() => dialog.getByRole('button', { name: 'Load them' }).count()).toBe(0)
})

it('the dialog of a nested mail with a long subject leaves a phone its body', async () => {
  const { post, page } = await openPage()
  const inner = `Subject: ${'long '.repeat(180)}\r\n\r\nThe inner body`
  await post.inbox.import(
    mime('multipart/mixed', [
      ['Content-Type: text/plain', 'See below'],
      ['Content-Type: message/rfc822', inner],
    ]),
  )
  await page.getByRole('region', { name: 'Attached files' }).getByRole('button').first().click()
  const dialog = page.getByRole('dialog', { name: 'long long' })
  await dialog.getByText('The inner body').waitFor()
  await page.setViewportSize({ width: 390, height: 700 })
  const height = async (): Promise<number> => (await dialog.locator('.title').boundingBox())?.height ?? 700
  await expect.poll(height).toBeLessThan(200)
  await page.setViewportSize({ width: 1280, height: 800 })
})
