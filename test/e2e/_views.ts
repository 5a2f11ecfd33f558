import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { allRooms } from '../../ui/composables/rooms.ts'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import { pdfWithPages } from '../support/pdf.ts'
import { send, submit, tab } from './_setup.ts'

/** A view of the page: its address, and what is done there. */
export interface View {
  name: string
  path: string
  act?: (page: Page) => Promise<void>
}

/** Opens a view, and waits until it is loaded. */
export async function openView(page: Page, post: Localpost, { path, act }: View): Promise<void> {
  await page.goto(`${post.url}/#/${path}`)
  await page.getByRole('main').or(page.getByRole('article')).first().waitFor()
  await expect.poll(() => page.getByText('Loading…').count(), { timeout: 20_000 }).toBe(0)
  await act?.(page)
}

/** A name that needs much room. */
export const longHost = 'a-rather-long-name-of-a-customer.that-has-many-parts.example.com'

/** Fills an instance. @returns Every view of the page, with content, and of a mail every side. */
export async function fillViews(post: Localpost): Promise<View[]> {
  const { mail, older, ...made } = await fill(post)
  const paths = [
    '',
    ...allRooms.filter((name) => name !== 'inbox'),
    `mail/${mail}`,
    `mail/${mail}/full`,
    `mail/${mail}/compare/${older}`,
    `mail/${made.delivered}`,
    'mail/unknown',
    `domains/${made.domain}`,
    'domains/unknown',
    `audiences/${made.audience}`,
    'audiences/unknown',
    'templates/welcome',
    'templates/unknown',
    'requests/sessions',
    'a/unknown',
  ]
  const sides = mailTabs.map((name): View => ({
    name,
    path: `mail/${mail}`,
    async act(page) {
      await tab(page, name).click()
      if (name === 'Checks') await page.getByRole('region', { name: 'Support by mail client' }).waitFor()
    },
  }))
  const versions: View = {
    name: 'versions of a template',
    path: 'templates/welcome',
    async act(page) {
      await page.getByText('Versions', { exact: true }).click()
      await page.getByRole('button', { name: 'Compare the version' }).click()
      await page.getByRole('table', { name: 'Text of both versions' }).waitFor()
    },
  }
  return [...paths.map((path): View => ({ name: path || 'inbox', path })), ...sides, versions]
}

interface Made {
  mail: string
  older: string
  delivered: string
  domain: string
  audience: string
}

async function fill(post: Localpost): Promise<Made> {
  const { id: domain } = await post.domains.create({ name: longHost })
  const { id: audience } = await post.audiences.create({ name: 'Readers '.repeat(8) })
  await post.audiences.contacts.import(audience, [{ email: `reader@${longHost}`, first_name: 'Ada' }])
  await post.templates.put('welcome', {
    subject: 'Hi {{name}}',
    html: '<p>Hello {{name}}</p>'.repeat(20),
    text: 'x',
  })
  await post.templates.put('welcome', {
    subject: 'Hi {{name}}',
    html: '<p>Hello {{name}}</p>'.repeat(20),
    text: `y ${'and-a-long-word'.repeat(9)}`,
  })
  await post.rules.set([{ match: `*@${longHost}`, action: 'delay', delay_ms: 1 }])
  await post.faults.set({ http: [{ path: '/v1/broadcasts', status: 503 }] })
  await post.webhooks.create({ url: `http://127.0.0.1:9/${'abcdefgh'.repeat(12)}` })
  await send(post, { to: 'ada@example.com', subject: 'Sent' })
  const subject = `A mail with everything ${'and-a-long-word'.repeat(9)}`
  for (const code of ['482913', '582914'])
    await submit(post, {
      subject,
      to: ['bounce@simulator.localpost', `reader@${longHost}`],
      text: `Your code is ${code}.`,
      html: `<style>@media (prefers-color-scheme: dark) { p { display: flex } }</style><p>Your code is ${code}.</p><a href="https://example.com/${'long'.repeat(40)}">Go</a><img src="https://example.com/picture.png">`,
      attachments: [
        { filename: `${'long-name-'.repeat(20)}.txt`, content: 'Hello' },
        {
          filename: 'invoice.pdf',
          contentType: 'application/pdf',
          content: pdfWithPages(['1 0 0 rg 0 0 500 500 re f']),
        },
      ],
    })
  const [mail, older, sent] = (await post.inbox.list()).items
  await post.inbox.update(mail?.id ?? '', { tags: ['orders', `a-tag-${'with-a-long-name-'.repeat(5)}`] })
  return { mail: mail?.id ?? '', older: older?.id ?? '', delivered: sent?.id ?? '', domain, audience }
}
