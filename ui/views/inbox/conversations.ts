import { computed, type Ref } from 'vue'
import type { ListedMail } from '../../../src/inbox/types.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { ListWindow } from '../../composables/list-window.ts'
import { splitAddress } from '../../composables/words.ts'

/** The mails of a conversation that are one row of the list. */
export interface Conversation {
  /** Without `Re:` and the like. */
  subject: string
  /** The newest first; only those that are loaded. */
  ids: string[]
  unread: number
}

/** A row of the list: a mail, or the newest one of a conversation. */
export type ListRow = ListedMail & { conversation?: Conversation }

/**
 * The list with each conversation as one row, in the place of its newest mail, while `isOn`. Only loaded mails are known, so
 * that a row may take in older mails when these are loaded. The results of a search are never combined.
 */
export function useConversations(list: InboxList, isOn: Readonly<Ref<boolean>>): InboxList {
  const folded = computed(() =>
    isOn.value && list.shown.value === '' ? foldConversations(list.rows.value) : null,
  )
  const rows = computed<ListWindow>(() => folded.value?.window ?? list.rows.value)
  const indexOf = (id: string | null): number => {
    const shown = (id === null ? undefined : folded.value?.rowOf.get(id)) ?? id
    const at = shown === null ? -1 : rows.value.emails.findIndex((mail) => mail.id === shown)
    return at < 0 ? -1 : rows.value.first + at
  }
  /** The position in the list of the server. */
  const outer = (index: number): number => {
    if (folded.value === null || index < rows.value.first) return index
    const { positions, hidden } = folded.value
    return positions[index - rows.value.first] ?? index + hidden.length
  }
  return {
    ...list,
    rows,
    emails: computed(() => rows.value.emails),
    count: computed(() => list.count.value - (folded.value?.hidden.length ?? 0)),
    indexOf,
    show: (from, to) => list.show(outer(from), outer(to)),
    async locate(id) {
      const at = await list.locate(id)
      const known = indexOf(id)
      if (at < 0 || known >= 0) return at < 0 ? -1 : known
      return at - (folded.value?.hidden.filter((one) => one < at).length ?? 0)
    },
  }
}

/** The loaded rows with those of a conversation combined. */
export function foldConversations({ first, emails }: ListWindow): {
  window: ListWindow
  /** The position of each row before. */
  positions: number[]
  /** The positions of the mails that have no row of their own, in ascending order. */
  hidden: number[]
  /** The row of each mail that has none of its own. */
  rowOf: ReadonlyMap<string, string>
} {
  const groups = new Map<string, ListedMail[]>()
  for (const mail of emails) {
    const group = groups.get(keyOf(mail))
    if (group) group.push(mail)
    else groups.set(keyOf(mail), [mail])
  }
  const rowOf = new Map<string, string>()
  const rows: ListRow[] = []
  const positions: number[] = []
  const hidden: number[] = []
  emails.forEach((mail, at) => {
    if (rowOf.has(mail.id)) return void hidden.push(first + at)
    const mails = groups.get(keyOf(mail)) ?? []
    positions.push(first + at)
    // Without an answer, they are several mails of one kind, such as sign-in codes.
    if (mails.length < 2 || !mails.some(({ subject }) => answer.test(subject))) return void rows.push(mail)
    for (const { id } of mails.slice(1)) rowOf.set(id, mail.id)
    const unread = mails.filter((one) => one.unread).length
    rows.push({
      ...mail,
      conversation: { subject: plainSubject(mail.subject), ids: mails.map(({ id }) => id), unread },
    })
  })
  return { window: { first, emails: rows }, positions, hidden, rowOf }
}

/** The subject and the people of a mail, whoever of them wrote it; its id where it belongs to no conversation. */
function keyOf({ id, from, to, subject, broadcast }: ListedMail): string {
  const plain = plainSubject(subject)
  if (broadcast || plain === '') return id
  const people = new Set([splitAddress(from).address, ...to].map((address) => address.toLowerCase()))
  return `${plain.toLowerCase()}\n${[...people].toSorted().join('\n')}`
}

function plainSubject(subject: string): string {
  let plain = subject.trim()
  for (let left = mostPrefixes; left > 0 && answer.test(plain); left--) plain = plain.replace(answer, '')
  return plain
}

const answer = /^(?:re|aw|antw|sv|vs|odp|rif)(?:\[\d{1,4}\])?:\s{0,20}/i
const mostPrefixes = 10
