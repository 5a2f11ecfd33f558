import { computed, nextTick, onMounted, onScopeDispose, ref, watch, type ComputedRef, type Ref } from 'vue'
import { arrivedAbove, movedBy, type ListWindow } from '../../composables/list-window.ts'
import { placeRows } from './row-places.ts'

export interface RowsParts {
  /** The scrolling element. */
  box: Ref<HTMLElement | undefined>
  /** The loaded rows. */
  loaded: Ref<ListWindow>
  /** The number of rows, loaded or not. */
  total: Ref<number>
  /** The height of a row in rem. */
  rem: Ref<number>
  /** The positions of the rows with a heading above them, in ascending order. */
  headed: Ref<readonly number[]>
  /** The row that is always drawn, wherever the list is scrolled to: the one that Tab reaches. */
  keep: Ref<number>
}

export interface Rows {
  /** The positions of the rows to draw, in order. */
  rows: ComputedRef<number[]>
  /** The first and the last row that should be loaded: those to draw, and more where a fast scroll goes. */
  needed: ComputedRef<{ from: number; to: number }>
  /** The distance of a row from the top of the list, in pixels. */
  topOf(index: number): number
  /** The height of all rows, in pixels. */
  height: ComputedRef<number>
  /** How many mails arrived above the visible rows since the list was at its top. */
  above: Ref<number>
  toTop(): void
  /** The first row that is wholly in sight. */
  firstInSight(): number
  /** The row at the top of the box, and how far the heading that stays there is pushed up by the next one. */
  top: ComputedRef<{ index: number; lift: number }>
  /** Brings a row into view; with `center`, one that is not in view yet goes to the middle. */
  scrollTo(index: number, align: 'auto' | 'center'): void
}

/** The visible rows of a list of any length. They keep their place while rows above them are added or removed. */
export function useRows({ box, loaded, total, rem, headed, keep }: RowsParts): Rows {
  const above = ref(0)
  const scrolled = ref(0)
  const seenHeight = ref(0)
  /** How fast the list is scrolled, in pixels for each millisecond; negative upwards. */
  const speed = ref(0)
  let measuredAt = 0
  let resting: ReturnType<typeof setTimeout> | undefined
  const fontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const heading = headingRem * fontSize
  const places = computed(() => placeRows(rem.value * fontSize, heading, headed.value))

  const range = computed(() => {
    const first = places.value.indexAt(scrolled.value)
    const last = places.value.indexAt(scrolled.value + seenHeight.value) + 1
    return {
      from: Math.max(0, Math.min(first, total.value - 1) - overscan),
      to: Math.min(total.value - 1, last + overscan),
    }
  })
  const rows = computed(() => {
    const { from, to } = range.value
    const drawn = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
    const kept = keep.value
    if (kept >= total.value || (kept >= from && kept <= to)) return drawn
    return kept < from ? [kept, ...drawn] : [...drawn, kept]
  })

  const needed = computed(() => {
    const { from, to } = range.value
    const coming = Math.min(mostAhead, Math.round((Math.abs(speed.value) * aheadMs) / (rem.value * fontSize)))
    const isUpwards = speed.value < 0
    return {
      from: from - (isUpwards ? Math.max(leastAhead, coming) : leastAhead),
      to: to + (isUpwards ? leastAhead : Math.max(leastAhead, coming)),
    }
  })

  // The row at the top stays there, whatever comes above it: rows, or headings of rows that were not loaded before.
  watch([loaded, total, places, rem], async ([after, count, placed, size], before) => {
    const [rowsBefore, countBefore, placedBefore, sizeBefore] = before
    const element = box.value
    if (!element || element.scrollTop === 0 || rowsBefore.emails.length === 0) return
    const at = placedBefore.indexAt(element.scrollTop)
    const known = movedBy(rowsBefore, after, at)
    // If none of the loaded rows is left, only the number of new rows is known.
    const moved = known ?? (after.first === 0 ? Math.max(0, count - countBefore) : 0)
    const grown = after.first === 0 ? mailsIn(after, count) - mailsIn(rowsBefore, countBefore) : 0
    above.value += arrivedAbove(rowsBefore, after, at) ?? Math.max(0, grown)
    const inRow = element.scrollTop - placedBefore.topOf(at)
    const shift = placed.topOf(at + moved) + (inRow * size) / sizeBefore - element.scrollTop
    if (shift === 0) return
    await nextTick()
    // This is no scroll of a person, and has no speed.
    const from = element.scrollTop
    element.scrollTop += shift
    scrolled.value += element.scrollTop - from
    measure()
  })

  function measure(): void {
    const element = box.value
    if (!element) return
    const moved = element.scrollTop - scrolled.value
    if (moved !== 0) measureSpeed(moved, element.clientHeight)
    scrolled.value = element.scrollTop
    seenHeight.value = element.clientHeight
    if (element.scrollTop === 0) above.value = 0
  }
  function measureSpeed(moved: number, windowHeight: number): void {
    const passedMs = performance.now() - measuredAt
    measuredAt += passedMs
    // A jump has no speed, and nor has the first step after a rest.
    const isScroll = passedMs < restMs && Math.abs(moved) < mostWindows * windowHeight
    speed.value = isScroll ? moved / Math.max(passedMs, frameMs) : 0
    clearTimeout(resting)
    resting = setTimeout(() => (speed.value = 0), restMs)
  }
  const resized = new ResizeObserver(measure)
  onMounted(() => {
    if (!box.value) return
    box.value.addEventListener('scroll', measure, { passive: true })
    resized.observe(box.value)
    measure()
  })
  onScopeDispose(() => {
    clearTimeout(resting)
    box.value?.removeEventListener('scroll', measure)
    resized.disconnect()
  })

  return {
    rows,
    needed,
    topOf: (index) => places.value.topOf(index),
    height: computed(() => places.value.topOf(total.value - 1) + rem.value * fontSize),
    above,
    toTop() {
      above.value = 0
      box.value?.scrollTo({
        top: 0,
        behavior: (box.value?.scrollTop ?? 0) < places.value.topOf(20) ? 'smooth' : 'auto',
      })
    },
    firstInSight() {
      const from = box.value?.scrollTop ?? 0
      const index = places.value.indexAt(from)
      return places.value.topOf(index) < from ? index + 1 : index
    },
    top: computed(() => {
      const index = places.value.indexAt(scrolled.value)
      const next = places.value.nextHeading(index)
      return { index, lift: next === null ? 0 : Math.min(0, next - scrolled.value - heading) }
    }),
    scrollTo(index, align) {
      const element = box.value
      if (!element) return
      // A heading is always at the top of the box, and covers what is there.
      const top = places.value.topOf(index) - heading
      const bottom = places.value.topOf(index) + rem.value * fontSize
      const isSeen = top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight
      if (isSeen) return
      if (align === 'center') element.scrollTop = (top + bottom - element.clientHeight) / 2
      else if (top < element.scrollTop) element.scrollTop = top
      else element.scrollTop = bottom - element.clientHeight
      measure()
    },
  }
}

/** How many mails a list of so many rows has. */
const mailsIn = ({ emails, mails }: ListWindow, rows: number): number =>
  rows + (mails ? mails.emails.length - emails.length : 0)

/** The height of a heading. */
export const headingRem = 1.75
/** How many rows are drawn on both sides of those in sight. */
const overscan = 8
/** How many rows are loaded before and after those that are drawn, at least and at most. */
const leastAhead = 12
const mostAhead = 450
/** How long before they come into sight rows are loaded during a fast scroll. */
const aheadMs = 600
const restMs = 200
const mostWindows = 4
const frameMs = 8
