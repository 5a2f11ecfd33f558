import type { InnerAccounts } from '../accounts/accounts.ts'
import { emailCollection } from '../emails/email.ts'
import type { ForeignMail } from '../inbox/missing-facts.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'

/** The newest mail for a recipient since a time, of each account that has some. */
export async function findForeignMail(
  accounts: Pick<InnerAccounts, 'ids' | 'byId'>,
  stored: Pick<PartitionedStore, 'partition'>,
  isWanted: (address: string) => boolean,
  since: number,
): Promise<ForeignMail[]> {
  const found: ForeignMail[] = []
  for (const id of accounts.ids().slice(0, mostSearched)) {
    const account = accounts.byId(id)
    if (!account) continue
    const page = await stored.partition(id).page(emailCollection, { direction: 'desc', limit: mostCompared })
    const mail = page.records.find(
      ({ created, envelope }) => created >= since && envelope.rcpt_to.some(isWanted),
    )
    if (mail) found.push({ account: account.name, id: mail.id, time: mail.created })
  }
  return found
}

/** How many accounts are searched for a missing mail, and how many of the newest mails of each. */
const mostSearched = 200
const mostCompared = 100
