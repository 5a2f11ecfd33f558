import type { SendMailOptions } from 'nodemailer'
import type { FrameLocator, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { browser } from './context.ts'
import type { MailTab } from '../../ui/views/inbox/tabs.ts'
import { startListening } from '../support/instance.ts'
import { submit as submitMail } from '../support/submit.ts'

export const sender = 'Acme <hello@acme.test>'
export const mailTo = (to: string): { from: string; to: string; text: string } => ({
  from: sender,
  to,
  text: 'Hello',
})

export async function openPage(
  options: LocalpostOptions = {},
  open = true,
): Promise<{ post: Localpost; page: Page }> {
  const post = await startListening(options)
  const page = await browser.context.newPage()
  if (open) {
    // Bound to all addresses, it is also reached at the loopback one.
    await page.goto((post.url ?? '').replace('0.0.0.0', '127.0.0.1'))
  }
  return { post, page }
}

/** Submits a mail over real SMTP. */
export const submit = (post: Localpost, mail: SendMailOptions): Promise<string> =>
  submitMail(post, { from: sender, ...mail })

/** Sends a mail over the socket, through `/v1`. */
export async function send(post: Localpost, mail: { to: string; subject: string }): Promise<void> {
  const response = await fetch(`${post.url}/v1/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...mailTo(mail.to), ...mail }),
  })
  expect(response.status).toBe(200)
}

export const rowsOf = (page: Page): Locator =>
  page.getByRole('navigation', { name: 'Mails' }).getByRole('listitem')
export const rowOf = (page: Page, text: string): Locator =>
  rowsOf(page).filter({ hasText: text }).getByRole('link')
/** The frame of the open mail; the others hold mails that will probably be opened next. */
export const shownFrame = 'iframe:not(.ahead)'
export const frameOf = (page: Page): FrameLocator => page.frameLocator(shownFrame)
export const panel = (page: Page): Locator => page.getByRole('tabpanel')
export const tab = (page: Page, name: MailTab): Locator => page.getByRole('tab', { name })
export const searchField = (page: Page): Locator => page.getByRole('combobox', { name: 'Search mails' })
/** Chooses from the menu of the list. */
export async function chooseMore(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More about the list' }).click()
  await page.getByRole('group', { name: 'More about the list' }).getByRole('button', { name }).click()
}
export const topOf = async (row: Locator): Promise<number> => (await row.boundingBox())?.y ?? Number.NaN

/** Opens a page of the app by its link. */
export const enter = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click()
/** The accessible name of the element with the focus. */
export const focused = (page: Page) => (): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.ariaLabel)
