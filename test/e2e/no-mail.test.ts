import { connect } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClock } from '../../src/core/manual-clock.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { RawClient } from '../capture/_server.ts'
import { objections, setWidth, widths } from './_axe.ts'
import { enter, focused, openPage, submit } from './_setup.ts'

/** Meets the four classic reasons for missing mail, and sends one mail that arrives. */
async function fail(post: Localpost): Promise<void> {
  const answer = await fetch(`${post.url}/v1/emails`, {
    method: 'POST',
    headers: { authorization: 'Bearer re_wrong', 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBe(401)
  const refused = new RawClient(post.smtp)
  await refused.reply()
  for (const line of ['EHLO <b>app</b>', 'MAIL FROM:<a@acme.test>', 'RCPT TO:<gone@example.com>', 'QUIT'])
    await refused.say(line)
  const http = new RawClient(post.smtp)
  await http.reply()
  await http.say('POST /v1/emails HTTP/1.1')
  const smtp = connect(post.url ? Number(new URL(post.url).port) : 0, '127.0.0.1')
  smtp.write('EHLO app.test\r\n')
  await new Promise((resolve) => smtp.resume().on('close', resolve))
}

async function openFailed(): Promise<{ post: Localpost; page: Page }> {
  const { post, page } = await openPage({
    rejectSubmissions: true,
    rules: [{ match: 'gone@example.com', action: 'reject', code: 550, text: 'No such user' }],
  })
  await enter(page, 'Traffic')
  await page.getByText('Nothing went wrong').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await fail(post)
  await submit(post, { subject: 'It arrives', to: 'ada@example.com', text: 'Hi' })
  return { post, page }
}

it('answers why there is no mail, with what to do, and shows each session with its transcript', async () => {
  const { page } = await openFailed()
  const causes = page.getByRole('list', { name: 'What went wrong' })
  for (const words of [
    'A request had an unknown API key. Use the key that the view "Connect" shows.',
    'A recipient was refused. The reply says why.',
    'An HTTP request came to the SMTP port. Send it to the HTTP port.',
    'sent SMTP instead of an HTTP request. SMTP is at 127.0.0.1:',
  ])
    await causes.getByText(words).waitFor()
  await causes.getByText('RCPT TO:<gone@example.com> → 550 5.1.1 No such user').waitFor()
  await causes.getByRole('link', { name: 'Show it: A recipient was refused.' }).click()
  const sessions = page.getByRole('list', { name: 'Timeline' })
  await sessions.getByRole('list', { name: 'Transcript' }).waitFor()
  expect(await sessions.locator('ol').innerText()).toMatch(
    /MAIL FROM:<a@acme\.test>[^]*550 5\.1\.1 No such user[^]*QUIT/,
  )
  // The name that a client gives itself is text.
  await expect.poll(() => sessions.locator('code').filter({ hasText: '<b>app</b>' }).count()).toBe(1)
  await page.getByLabel('Only with a problem').check()
  await sessions.getByText('It arrives').waitFor({ state: 'detached' })
  await page.getByLabel('Only with a problem').uncheck()
  await sessions.getByRole('link', { name: 'It arrives' }).click()
  await sessions.getByRole('link', { name: 'Open the mail' }).click()
  await page.getByRole('heading', { name: 'It arrives' }).waitFor()
})

it('a link to what went wrong brings its entry into view, also far down the timeline', async () => {
  const { post, page } = await openPage()
  const client = new RawClient(post.smtp)
  await client.reply()
  for (const line of ['EHLO app', 'STARTTLS', 'QUIT']) await client.say(line)
  for (let count = 0; count < 40; count++) await fetch(`${post.url}/v1/emails/em_unknown`)
  await enter(page, 'Traffic')
  await page.getByRole('link', { name: 'Show it: STARTTLS was refused.' }).click()
  const entry = page.getByRole('list', { name: 'Timeline' }).locator('[aria-current]')
  await expect
    .poll(() =>
      entry.evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight
      }),
    )
    .toBe(true)
})

it('an empty inbox says which trouble there was, also after an hour', async () => {
  const clock = createClock()
  const { post, page } = await openPage({ clock }, false)
  const client = new RawClient(post.smtp)
  await client.reply()
  for (const line of ['EHLO app', 'STARTTLS', 'QUIT']) await client.say(line)
  await clock.advance(70 * 60_000)
  await page.goto(post.url ?? '')
  await page.getByText('STARTTLS was refused.').first().waitFor()
  await page
    .getByText(/turn TLS and STARTTLS off/)
    .first()
    .waitFor()
})

it('names a client that waits for a greeting at the HTTP port as a possibility, until mail comes', async () => {
  const { post, page } = await openPage()
  const waiting = connect(Number(new URL(post.url ?? '').port), '127.0.0.1')
  await enter(page, 'Traffic')
  const hint = page.getByText('It may be an SMTP client that waits for a greeting')
  const isSeen = async (): Promise<boolean> => {
    await page.reload()
    await page.getByText('Nothing went wrong').waitFor()
    return (await hint.count()) > 0
  }
  await expect.poll(isSeen, { timeout: 20_000, interval: 1000 }).toBe(true)
  expect(await hint.innerText()).toContain(`SMTP is at ${post.smtp.host}:${post.smtp.port}.`)
  await submit(post, { subject: 'It arrives', to: 'ada@example.com', text: 'Hi' })
  await expect.poll(isSeen).toBe(false)
  waiting.destroy()
})

it.each(widths)('has no accessibility violations, %i wide, and works with the keyboard', async (width) => {
  const { page } = await openFailed()
  await page.getByRole('heading', { name: '4 problems' }).waitFor()
  await setWidth(page, width)
  await page.getByRole('radio', { name: 'Requests' }).focus()
  await page.keyboard.press('ArrowRight')
  const sessions = page.getByRole('list', { name: 'Timeline' })
  await sessions.getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  await sessions.getByRole('list', { name: 'Transcript' }).waitFor()
  expect(await objections(page)).toEqual([])
})

it('puts known problems away until they happen again, and shows them again on request', async () => {
  const { post, page } = await openFailed()
  const causes = page.getByRole('list', { name: 'What went wrong' })
  await page.getByRole('button', { name: 'Dismiss: A recipient was refused.' }).click()
  await page.getByRole('heading', { name: '3 problems' }).waitFor()
  // The buttons go with what they put away.
  await expect.poll(focused(page)).toMatch(/^Dismiss: /)
  await page.getByRole('button', { name: 'Dismiss all' }).click()
  await page.getByText('Nothing else went wrong').waitFor()
  const title = page.locator('h2:focus')
  await title.waitFor()
  await page.reload()
  await page.getByText('Nothing else went wrong').waitFor()
  await fetch(`${post.url}/v1/emails`, { method: 'POST', headers: { authorization: 'Bearer re_wrong' } })
  await causes.getByText('A request had an unknown API key.').waitFor()
  await page.getByRole('button', { name: 'Show 3 dismissed problems' }).click()
  await page.getByRole('heading', { name: '4 problems' }).waitFor()
  await title.waitFor()
})
