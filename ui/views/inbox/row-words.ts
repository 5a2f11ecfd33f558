import { unrenderedPlaceholders } from '../../../src/checks/placeholders.ts'
import { countWords, spellOverrides, splitAddress } from '../../composables/words.ts'
import type { Conversation, ListRow } from './conversations.ts'

/** The name of the sender, or the address without one. */
export function senderOf({ from }: Pick<ListRow, 'from'>): string {
  const { name, address } = splitAddress(from)
  return spellOverrides(name || address) || 'No sender'
}

/** What the row of a conversation says of all its mails: whom they are for, each once, and what came of them. */
export function sumOf({ mails }: Conversation): Pick<ListRow, 'to' | 'to_names' | 'outcomes'> {
  const names = new Map<string, { address: string; name: string }>()
  const outcomes: ListRow['outcomes'] = {}
  for (const mail of mails) {
    mail.to.forEach((address, at) => {
      const name = mail.to_names[at] ?? ''
      const known = names.get(address.toLowerCase())
      if (!known?.name) names.set(address.toLowerCase(), { address: known?.address ?? address, name })
    })
    for (const status of Object.keys(mail.outcomes) as (keyof typeof outcomes)[])
      outcomes[status] = (outcomes[status] ?? 0) + (mail.outcomes[status] ?? 0)
  }
  const all = [...names.values()]
  return { to: all.map(({ address }) => address), to_names: all.map(({ name }) => name), outcomes }
}

/** The first recipient, and how many there are beside; of a broadcast, how many it has. */
export function recipientsOf({
  to,
  to_names,
  broadcast,
}: Pick<ListRow, 'to' | 'to_names' | 'broadcast'>): string {
  if (broadcast) return countWords(broadcast.emails, 'recipient')
  const [address] = to
  if (address === undefined) return 'undisclosed recipients'
  const first = spellOverrides(to_names[0] || address)
  return to.length > 1 ? `${first} +${to.length - 1}` : first
}

/** All recipients with their addresses, because names can be misleading; one on each line. */
export function addressesOf({
  to,
  to_names,
  broadcast,
}: Pick<ListRow, 'to' | 'to_names' | 'broadcast'>): string {
  if (broadcast) return ''
  const shown = to
    .slice(0, mostShown)
    .map((address, at) => (to_names[at] ? `${to_names[at]} <${address}>` : address))
  return spellOverrides(
    [...shown, ...(to.length > mostShown ? [`and ${to.length - mostShown} more`] : [])].join('\n'),
  )
}

/** What is wrong with a mail beside its outcome; null if nothing is known to be. */
export interface RowProblem {
  words: string
  /** What it is about. */
  detail: string
  tone: 'bad' | 'warn'
}

/**
 * What is wrong with a mail as far as its row says: a damaged message, and placeholders that nothing was filled in for. The
 * subject of a broadcast has its placeholders on purpose.
 */
export function problemOf(
  mail: Pick<ListRow, 'subject' | 'snippet' | 'broadcast'>,
  damaged: boolean,
): RowProblem | null {
  if (damaged) return { words: 'Damaged', detail: 'the message cannot be read', tone: 'bad' }
  if (mail.broadcast) return null
  const open = unrenderedPlaceholders({ subject: mail.subject, text: mail.snippet, html: '' }).slice(
    0,
    mostPlaceholders,
  )
  return open.length === 0
    ? null
    : {
        words: 'Placeholder',
        detail: `${spellOverrides(open.join(', '))} ${open.length === 1 ? 'is' : 'are'} not filled in`,
        tone: 'warn',
      }
}

const mostShown = 20
/** How many placeholders are named. */
export const mostPlaceholders = 8
