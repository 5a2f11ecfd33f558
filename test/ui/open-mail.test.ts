import { effectScope, ref } from 'vue'
import { expect, onTestFinished, test } from 'vitest'
import type { Mail } from '../../src/inbox/types.ts'
import type { Api } from '../../ui/composables/api.ts'
import { createMailsAhead } from '../../ui/composables/mails-ahead.ts'
import { type OpenMail, useOpenMail } from '../../ui/composables/open-mail.ts'

test('a mail that was marked while it was being opened again is shown as marked', async () => {
  let unread = false
  const waiting: (() => void)[] = []
  const api: Pick<Api, 'get'> = {
    get(id) {
      const mail = { id, unread } as Mail
      return new Promise((resolve) => void waiting.push(() => resolve(mail)))
    },
  }
  async function answer(): Promise<void> {
    for (const one of waiting.splice(0)) one()
    await new Promise(setImmediate)
  }
  const id = ref('a')
  const opened: string[] = []
  const near = { ahead: createMailsAhead(api, () => true), coming: ref(null) }
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const open = scope.run(() =>
    useOpenMail(api as Api, near, id, (mail) => void opened.push(mail.id)),
  ) as OpenMail
  await answer()
  id.value = 'b'
  await answer()
  // Fetched ahead before the server has marked it, and not answered yet.
  near.ahead.keep(['a'])
  id.value = 'a'
  await new Promise(setImmediate)
  unread = true
  open.patch('a', { unread })
  await answer()
  expect(open.mail.value).toEqual({ id: 'a', unread: true })
  expect(opened).toEqual(['a', 'b', 'a'])
})
