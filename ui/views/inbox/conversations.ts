import { computed, type Ref } from 'vue'
import { withoutReplyPrefix } from '../../../src/emails/conversation.ts'
import type { ListedMail } from '../../../src/inbox/types.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { ListWindow } from '../../composables/list-window.ts'
import { splitAddress } from '../../composables/words.ts'

/** The mails of a conversation that are one row of the list. */
export interface Conversation {
  /** Without `Re:` and the like. */
  subject: string
  /** The newest first; only those that are loaded, and at most 50. */
  ids: string[]
  unread: number
  mails: readonly ListedMail[]
}

/** A row of the list: a mail, or the newest one of a conversation. */
export type ListRow = ListedMail & { conversation?: Conversation }

/**
 * The list with each conversation as one row, in the place of its newest mail, while `isOn`. Only loaded mails are known, so
 * that a row may take in older mails when these are loaded. The results of a search are never combined.
 *
 * @param isPicked  A conversation with a picked mail stays apart, so that a person sees what is picked.
 */
export function useConversations(
  list: InboxList,
  isOn: Readonly<Ref<boolean>>,
  isPicked: (id: string) => boolean,
): InboxList {
  const folded = computed(() =>
    isOn.value && list.shown.value === '' ? foldConversations(list.rows.value, isPicked) : null,
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
    show(from, to) {
      const { first, emails } = rows.value
      const beyond = (from + to) / 2 - (first + emails.length)
      // How many mails the next rows hold is known only when they are loaded together with the rows before them. None of
      // these is dropped before a row in sight is loaded, which then keeps its place.
      const isNext = folded.value !== null && from >= first && beyond >= 0 && beyond < mostNext
      return list.show(isNext ? first : outer(from), outer(to))
    },
    async locate(id, signal) {
      const at = await list.locate(id, signal)
      const known = indexOf(id)
      if (at < 0 || known >= 0) return at < 0 ? -1 : known
      return at - (folded.value?.hidden.filter((one) => one < at).length ?? 0)
    },
  }
}

/**
 * The loaded rows with those of a conversation combined: mails whose headers name the same first message, as far as an address
 * links them, because senders write these headers. A mail that shares its first message with none belongs to those of its
 * subject and people.
 */
export function foldConversations(
  { first, emails }: ListWindow,
  isPicked: (id: string) => boolean,
): {
  window: ListWindow
  /** The position of each row before. */
  positions: number[]
  /** The positions of the mails that have no row of their own, in ascending order. */
  hidden: number[]
  /** The row of each mail that has none of its own. */
  rowOf: ReadonlyMap<string, string>
} {
  const keyOf = keysFor(emails)
  const groups = new Map<string, ListedMail[]>()
  for (const mail of emails) {
    const group = groups.get(keyOf(mail))
    if (group) group.push(mail)
    else groups.set(keyOf(mail), [mail])
  }
  for (const [key, mails] of groups) {
    // Without an answer, they are several mails of one kind, such as sign-in codes.
    const isOne =
      mails.length > 1 &&
      mails.some(({ subject, is_answer }) => is_answer || withoutReplyPrefix(subject) !== subject.trim())
    if (!isOne || mails.some(({ id }) => isPicked(id))) groups.delete(key)
  }
  const rowOf = new Map<string, string>()
  const rows: ListRow[] = []
  const positions: number[] = []
  const hidden: number[] = []
  emails.forEach((mail, at) => {
    if (rowOf.has(mail.id)) return void hidden.push(first + at)
    const mails = groups.get(keyOf(mail))?.splice(0, mostMails) ?? []
    positions.push(first + at)
    if (mails.length < 2) return void rows.push(mail)
    for (const { id } of mails.slice(1)) rowOf.set(id, mail.id)
    const unread = mails.filter((one) => one.unread).length
    rows.push({
      ...mail,
      conversation: {
        subject: withoutReplyPrefix(mail.subject),
        ids: mails.map(({ id }) => id),
        unread,
        mails,
      },
    })
  })
  return { window: { first, emails: rows, mails: { first, emails } }, positions, hidden, rowOf }
}

/** What the mails of a conversation have in common. */
function keysFor(emails: readonly ListedMail[]): (mail: ListedMail) => string {
  const sharedBy = sharedThreads(emails)
  /** The conversation of headers that has mails of a subject and people; null for several. */
  const known = new Map<string, string | null>()
  for (const mail of emails) {
    const shared = sharedBy(mail)
    if (shared === undefined) continue
    const before = known.get(subjectKey(mail))
    known.set(subjectKey(mail), before === undefined || before === shared ? shared : null)
  }
  // An answer to an answer names that one where it has only In-Reply-To.
  return (mail) =>
    sharedBy(mail) ?? known.get(subjectKey(mail)) ?? (mail.is_answer ? mail.id : subjectKey(mail))
}

/** Tells which mails name the same first message, and are linked by addresses; undefined for a mail that is alone in that. */
function sharedThreads(emails: readonly ListedMail[]): (mail: ListedMail) => string | undefined {
  const named = countBy(emails, ({ thread, broadcast }) => (broadcast ? undefined : thread))
  const several = emails.filter(({ thread = '', broadcast }) => !broadcast && (named.get(thread) ?? 0) > 1)
  /** From an address in a conversation towards the one that stands for all that are linked to it. */
  const links = new Map<string, string>()
  function rootOf(key: string): string {
    let root = key
    for (let next = links.get(root); next !== undefined; next = links.get(root)) root = next
    if (root !== key) links.set(key, root)
    return root
  }
  for (const mail of several) {
    const [first = '', ...others] = factsOf(mail).people.map((one) => rootOf(`thread ${mail.thread} ${one}`))
    for (const other of others) if (rootOf(other) !== rootOf(first)) links.set(rootOf(other), rootOf(first))
  }
  const parts = new Map<ListedMail, string>()
  for (const mail of several) {
    const [person] = factsOf(mail).people
    if (person !== undefined) parts.set(mail, rootOf(`thread ${mail.thread} ${person}`))
  }
  const sizes = countBy(several, (mail) => parts.get(mail))
  return (mail) => {
    const part = parts.get(mail)
    return part !== undefined && (sizes.get(part) ?? 0) > 1 ? part : undefined
  }
}

function countBy(
  emails: readonly ListedMail[],
  keyOf: (mail: ListedMail) => string | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const mail of emails) {
    const key = keyOf(mail)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** The subject and the people of a mail, whoever of them wrote it; its id where it belongs to no conversation. */
const subjectKey = (mail: ListedMail): string => factsOf(mail).key

interface Facts {
  key: string
  /** The addresses of the sender and the first recipients, each once, in the order of the alphabet. */
  people: readonly string[]
}
function factsOf(mail: ListedMail): Facts {
  const found = facts.get(mail) ?? newFacts(mail)
  facts.set(mail, found)
  return found
}
function newFacts({ id, from, to, subject, broadcast }: ListedMail): Facts {
  const plain = withoutReplyPrefix(subject)
  const all = [splitAddress(from).address, ...to.slice(0, mostPeople)].map((one) => one.toLowerCase())
  const people = [...new Set(all)].filter((one) => one !== '').toSorted()
  return { people, key: broadcast || plain === '' ? id : [plain.toLowerCase(), ...people].join('\n') }
}
/** A mail that changes is another object. */
const facts = new WeakMap<ListedMail, Facts>()

/** The recipients that tell conversations apart. */
const mostPeople = 20
/** The mails of one row, so that a screen full of rows needs a bounded number of them; the older ones get a row of their own. */
const mostMails = 50
/** How many rows behind the loaded ones are loaded together with these. */
const mostNext = 200
