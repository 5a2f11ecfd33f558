import { expect, test } from 'vitest'
import type { MailPage } from '../../ui/composables/api.ts'
import { createPatchedPages } from '../../ui/composables/patched-pages.ts'

test('a change is put on the pages that were asked for before it, and on no later ones', async () => {
  const { signal } = new AbortController()
  const answers: (() => void)[] = []
  const pages = createPatchedPages({
    list: () =>
      new Promise((resolve) => {
        answers.push(() => resolve({ emails: [{ id: 'a', unread: true }], count: 1 } as unknown as MailPage))
      }),
  })
  const unreadOf = async (page: Promise<MailPage>): Promise<boolean | undefined> =>
    (await page).emails[0]?.unread
  const before = unreadOf(pages.fetch({ query: '' }, signal))
  pages.patch('a', { unread: false })
  // Another tab may have undone the change by then.
  const after = unreadOf(pages.fetch({ query: '' }, signal))
  for (const answer of answers) answer()
  expect(await Promise.all([before, after])).toEqual([false, true])
})
