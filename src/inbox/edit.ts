import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Digests } from '../search/digests.ts'
import { changeRecord } from '../store/repository.ts'
import { remove, type Store } from '../store/store.ts'
import { checkChanges } from './check-changes.ts'
import type { Inbox } from './methods.ts'
import { toMailSummary } from './views.ts'

interface EditDeps {
  store: Store
  digests: Pick<Digests, 'of'>
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
}

/** Changes and removes single mails; `bulk.ts` does so with many. */
export function createEdit({ store, digests, find }: EditDeps): Pick<Inbox, 'update' | 'remove'> {
  return {
    async update(id, changes) {
      checkChanges(changes, ['unread', 'tags'])
      const { unread, tags } = changes
      const email = await changeRecord(store, emailCollection, id, 'mail', (stored) => ({
        ...stored,
        unread: unread ?? stored.unread,
        tags: tags ? [...new Set(tags)] : stored.tags,
      }))
      return toMailSummary(email, await digests.of(email))
    },
    async remove(id) {
      await find(id)
      await store.commit([remove(emailCollection, id)])
    },
  }
}
