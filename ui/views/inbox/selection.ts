import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import type { InboxList } from '../../composables/inbox.ts'

/** The mails that a person picked, for an action on all of them. */
export interface Selection {
  /** The picked ids. Ignored while `everything` is true. */
  ids: Readonly<Ref<ReadonlySet<string>>>
  /** Whether every match of the search is picked, even those that are not loaded. */
  everything: Ref<boolean>
  /** Whether the last range went beyond the loaded rows, of which alone it picked mails. */
  isCut: Readonly<Ref<boolean>>
  count: ComputedRef<number>
  has(id: string): boolean
  /** Picks or unpicks one; with `range`, all from the one toggled last up to this one. */
  toggle(id: string, range?: boolean): void
  all(): void
  clear(): void
}

export function useSelection(inbox: InboxList): Selection {
  const ids = shallowRef<ReadonlySet<string>>(new Set())
  const everything = ref(false)
  const isCut = ref(false)
  let last: string | null = null

  function clear(): void {
    ids.value = new Set()
    everything.value = false
    isCut.value = false
    last = null
  }

  /** The row of a broadcast or a conversation stands for several mails and cannot be picked. They can, in their own list. */
  const pickable = (): string[] =>
    inbox.emails.value.filter((row) => !row.broadcast && !row.conversation).map(({ id }) => id)

  function toggle(id: string, range = false): void {
    if (inbox.emails.value.some((row) => row.id === id && (row.broadcast || row.conversation))) return
    // If everything was picked and one mail is unpicked, only the other loaded mails stay picked.
    const next = new Set(everything.value ? pickable() : ids.value)
    everything.value = false
    const isOn = !next.has(id)
    isCut.value = range && last !== null && isBeyond(last)
    for (const one of range ? between(last, id) : [id]) {
      if (isOn) next.add(one)
      else next.delete(one)
    }
    last = id
    ids.value = next
  }

  /** The loaded mails from one to another, also if the first one is not loaded any more: the order of the list is that of ids. */
  function between(from: string | null, to: string): string[] {
    const [oldest, newest] = [from ?? to, to].toSorted() as [string, string]
    return pickable().filter((id) => id >= oldest && id <= newest)
  }

  /** Whether a mail is above or below the loaded rows. */
  function isBeyond(id: string): boolean {
    const { emails, mails } = inbox.rows.value
    const loaded = mails?.emails ?? emails
    return id > (loaded[0]?.id ?? '') || id < (loaded.at(-1)?.id ?? '')
  }

  // Deleted mails are no longer picked, and another search begins without picked mails.
  watch(inbox.dropped, (dropped) => {
    const kept = [...ids.value].filter((id) => !dropped.has(id))
    if (kept.length < ids.value.size) ids.value = new Set(kept)
  })
  watch(inbox.shown, clear)

  return {
    ids,
    everything,
    isCut,
    count: computed(() => (everything.value ? inbox.mails.value : ids.value.size)),
    has: (id) => everything.value || ids.value.has(id),
    toggle,
    all() {
      everything.value = true
      isCut.value = false
    },
    clear,
  }
}

/** The two picked mails, the newer one first; null if there are not exactly two. */
export function pairOf({
  ids,
  everything,
}: Pick<Selection, 'ids' | 'everything'>): [newer: string, older: string] | null {
  // Ids are in the order of time.
  const [newer, older, more] = everything.value ? [] : [...ids.value].toSorted().reverse()
  return newer !== undefined && older !== undefined && more === undefined ? [newer, older] : null
}
