import { computed, nextTick, ref, watch, type ComputedRef, type Ref } from 'vue'
import type { InboxList } from '../../composables/inbox.ts'
import type { Router } from '../../composables/route.ts'
import type { BroadcastList } from './broadcast-list.ts'
import { pairOf, type Selection } from './selection.ts'

export interface WalkParts {
  inbox: InboxList
  selection: Selection
  broadcasts: BroadcastList
  router: Pick<Router, 'route' | 'openId' | 'go'>
  /** The mail that keyboard shortcuts apply to. */
  currentId: Ref<string | null>
  /** The list on the screen. */
  rows: { top(): string | undefined; focus(id: string): void }
}

/** Moves between the list, a mail beside the list, a mail alone, and two mails side by side. */
export interface Walk {
  /** Whether the open mail is shown alone. */
  full: ComputedRef<boolean>
  /** The mail that the open one is compared with; null while only one is shown. */
  compared: ComputedRef<string | null>
  /** Whether every row shows its checkbox. */
  picking: Ref<boolean>
  /** Moves one row down or up, which is loaded first where it is not. If a mail is open, the new row's mail is opened. */
  move(by: 1 | -1): void
  /** Whether there may be a row below or above. */
  canMove(by: 1 | -1): boolean
  /** Opens the mail or the broadcast of the current row. */
  openCurrent(): void
  /** Closes the first of these that is there: the comparison, the selection, the view of a mail alone, the open mail, the list of a broadcast. */
  close(): void
  /** Shows the two picked mails side by side. Otherwise shows the open mail beside the previous one with its subject. */
  compare(): void
  /** Shows the open mail alone, or beside the list again. */
  fill(): void
}

export function useWalk({ inbox, selection, broadcasts, router, currentId, rows }: WalkParts): Walk {
  const { route, openId, go } = router
  const picking = ref(false)
  const full = computed(() => route.value.view === 'mail' && route.value.full === true)
  const compared = computed(() => (route.value.view === 'mail' ? (route.value.compare ?? null) : null))

  const current = (): string | null => currentId.value ?? openId.value
  const rowAt = (at: number): string | undefined => inbox.emails.value[at - inbox.rows.value.first]?.id

  function canMove(by: 1 | -1): boolean {
    const at = inbox.indexOf(current())
    const to = at < 0 ? 0 : at + by
    return to >= 0 && to < inbox.count.value
  }

  async function move(by: 1 | -1): Promise<void> {
    const id = current()
    let at = inbox.indexOf(id)
    // A phone hides the list beside a mail, which then loads no rows by itself.
    if (id !== null && canMove(by) && (at < 0 || rowAt(at + by) === undefined)) {
      if (at < 0 && id === openId.value) at = await inbox.locate(id)
      if (at >= 0) {
        await inbox.show(at - around, at + around)
        at = inbox.indexOf(id)
        // The list was scrolled meanwhile, or its mails have changed: the first one in sight is not the next one.
        if (at < 0) return
      }
      if (id !== current()) return
    }
    const next = at < 0 ? rows.top() : rowAt(at + by)
    if (next === undefined) return
    currentId.value = next
    if (openId.value !== null) go({ view: 'mail', id: next, full: full.value }, true)
    rows.focus(next)
  }

  // A key that is pressed while rows are loaded moves on from the row that the one before it reached.
  let moves = Promise.resolve()
  let waiting = 0
  function moveInTurn(by: 1 | -1): void {
    if (waiting >= mostWaiting) return
    waiting++
    moves = moves
      .catch(() => undefined)
      .then(() => move(by))
      .finally(() => waiting--)
  }

  function close(): void {
    if (compared.value !== null && openId.value !== null) return go({ view: 'mail', id: openId.value })
    if (selection.count.value > 0 || picking.value) {
      selection.clear()
      picking.value = false
      return
    }
    const id = openId.value
    if (id !== null && full.value) return fill()
    if (id === null && broadcasts.subject.value !== null) return broadcasts.close()
    go({ view: 'list' })
    if (id !== null) rows.focus(id)
  }

  function openCurrent(): void {
    const { value: id } = currentId
    if (id === null) return
    const row = inbox.emails.value.find((mail) => mail.id === id)
    if (row?.broadcast || row?.conversation) broadcasts.open(row)
    else go({ view: 'mail', id })
  }

  function compare(): void {
    const [id = openId.value, other = 'previous'] = pairOf(selection) ?? []
    if (id !== null) go({ view: 'mail', id, compare: other })
  }

  function fill(): void {
    if (route.value.view !== 'mail') return
    const { compare: _compare, ...rest } = route.value
    go({ ...rest, full: !full.value })
  }

  // The bar with the focus disappears with the selection, so the focus moves to the list.
  watch(selection.count, async (count) => {
    if (count > 0) return
    await nextTick()
    if (document.activeElement !== document.body) return
    const { value: mails } = inbox.emails
    const loaded = [currentId.value, openId.value].find((id) => mails.some((mail) => mail.id === id))
    const next = loaded ?? rows.top()
    if (next !== undefined) rows.focus(next)
  })

  return {
    full,
    compared,
    picking,
    move: moveInTurn,
    canMove,
    openCurrent,
    close,
    compare,
    fill,
  }
}

const around = 12
/** A key that is held down while rows load slowly does not go on for long afterwards. */
const mostWaiting = 20
