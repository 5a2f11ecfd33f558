import { describe, expect, it } from 'vitest'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import { cutWords, outOfReach } from './_reach.ts'
import { openPage, panel, searchField, submit, tab } from './_setup.ts'

describe.each([390, 768])('a window of %i pixels', (width) => {
  it('keeps every control within reach', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width, height: 844 })
    const reach = (): Promise<string[]> => outOfReach(page, width)
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    expect(await reach()).toEqual([])

    await submit(post, {
      subject: `A mail with everything ${'and-a-long-word'.repeat(9)}`,
      to: [...simulated, ...Array.from({ length: 20 }, (_, index) => `someone.${index}@example.com`)],
      text: 'Your code is 482913.',
      html: '<style>@media (prefers-color-scheme: dark) { p { display: flex } }</style><p>Your code is 482913.</p><img src="https://example.com/picture.png">',
      attachments: [{ filename: `${'long-name-'.repeat(20)}.txt`, content: 'Hello' }],
    })
    const [mail] = (await post.inbox.list()).items
    await page.goto(`${post.url}/#/mail/${mail?.id}`)
    for (const badge of ['Delivered 20', 'Bounced 2', 'Complaint 1'])
      await page.locator('section.main').getByText(badge).waitFor()
    await page.getByRole('button', { name: '+19 more' }).first().click()
    for (const side of mailTabs) {
      await tab(page, side).click()
      await panel(page).waitFor()
      if (side === 'Checks') await page.getByRole('region', { name: 'Support by mail client' }).waitFor()
      expect(await reach(), side).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth), side).toBe(width)
    }
    await page.keyboard.press('Escape')
    await searchField(page).waitFor()
    expect(await reach()).toEqual([])
  })
})

it('a phone shows all words of every room: none is cut off or wider than its place', async () => {
  const { post, page } = await openPage({}, false)
  const host = 'a-rather-long-name-of-a-customer.that-has-many-parts.example.com'
  const { id: domain } = await post.domains.create({ name: host })
  const { id: audience } = await post.audiences.create({ name: 'Readers '.repeat(8) })
  await post.audiences.contacts.import(audience, [
    { email: `reader@${host}`, first_name: 'Wolfeschlegel'.repeat(3) },
  ])
  await post.templates.put('a-template-with-a-long-id-that-needs-two-lines', {
    subject: 'Hi {{name}}',
    text: 'x',
  })
  await post.rules.set([{ match: `*@${host}`, action: 'delay', delay_ms: 1500 }])
  await post.webhooks.create({ url: `http://127.0.0.1:9/${'abcdefgh'.repeat(12)}` })
  await submit(post, { subject: 'Hello', to: `reader@${host}`, text: 'x' })
  await page.setViewportSize({ width: 390, height: 844 })
  const rooms = [
    '',
    'domains',
    `domains/${domain}`,
    'audiences',
    `audiences/${audience}`,
    'templates',
    'rules',
  ]
  for (const room of [...rooms, 'requests', 'requests/sessions', 'connect', 'webhooks']) {
    await page.goto(`${post.url}/#/${room}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    if (room === 'webhooks') {
      const deliveries = page.getByRole('list', { name: 'Deliveries' })
      await deliveries.locator('summary').first().click()
      await deliveries.getByRole('list', { name: 'Tries' }).first().waitFor()
    }
    expect(await cutWords(page), room).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), room).toBe(390)
  }
})

it('a phone goes from mail to mail, beyond the loaded ones and up to the last one', async () => {
  const { post, page } = await openPage({}, false)
  const ids: string[] = []
  for (let i = 0; i < 56; i++) {
    const mail = { from: 'a@acme.test', to: 'b@acme.test', subject: `Mail ${i}`, text: 'x' }
    ids.push((await post.emails.send(mail)).id)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  // The list begins with 50 mails.
  await page.goto(`${post.url}/#/mail/${ids[3]}`)
  const [previous, next] = ['Previous mail', 'Next mail'].map((name) => page.getByRole('button', { name }))
  const shows = (subject: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name: subject, exact: true }).waitFor()
  await shows('Mail 3')
  await previous?.click()
  await shows('Mail 4')
  for (const subject of ['Mail 3', 'Mail 2', 'Mail 1', 'Mail 0']) {
    await next?.click()
    await shows(subject)
  }
  await expect.poll(() => next?.isDisabled()).toBe(true)
  expect(await previous?.isDisabled()).toBe(false)
})

const simulated = ['bounce', 'suppressionlist', 'complaint'].map((name) => `${name}@simulator.localpost`)
