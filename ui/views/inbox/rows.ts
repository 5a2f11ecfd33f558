import { computed, nextTick, onMounted, onScopeDispose, ref, watch, type ComputedRef, type Ref } from 'vue'
import { movedBy, type ListWindow } from '../../composables/list-window.ts'

export interface RowsParts {
  /** The scrolling element. */
  box: Ref<HTMLElement | undefined>
  /** The loaded rows. */
  loaded: Ref<ListWindow>
  /** The number of rows, loaded or not. */
  total: Ref<number>
  /** The height of a row in rem. */
  rem: Ref<number>
  /** The row that is always drawn, wherever the list is scrolled to: the one that Tab reaches. */
  keep: Ref<number>
}

export interface Rows {
  /** The positions of the rows to draw, in order. */
  rows: ComputedRef<number[]>
  /** The first and the last row to draw, without the row of `keep`. */
  range: ComputedRef<{ from: number; to: number }>
  /** The distance of a row from the top of the list, in pixels. */
  topOf(index: number): number
  /** The height of all rows, in pixels. */
  height: ComputedRef<number>
  /** How many rows were added above the visible ones since the list was at its top. */
  above: Ref<number>
  toTop(): void
  /** Brings a row into view; with `center`, one that is not in view yet goes to the middle. */
  scrollTo(index: number, align: 'auto' | 'center'): void
}

/** The visible rows of a list of any length. They keep their place while rows above them are added or removed. */
export function useRows({ box, loaded, total, rem, keep }: RowsParts): Rows {
  const above = ref(0)
  const scrolled = ref(0)
  const seenHeight = ref(0)
  const fontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const rowHeight = computed(() => rem.value * fontSize)

  const range = computed(() => {
    const first = Math.floor(scrolled.value / rowHeight.value)
    const last = Math.ceil((scrolled.value + seenHeight.value) / rowHeight.value)
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

  watch([loaded, total], async ([after, count], [before, countBefore]) => {
    const element = box.value
    if (!element || element.scrollTop === 0 || before.emails.length === 0) return
    const known = movedBy(before, after, Math.floor(element.scrollTop / rowHeight.value))
    // If none of the loaded rows is left, only the number of new rows is known.
    const moved = known ?? (after.first === 0 ? Math.max(0, count - countBefore) : 0)
    if (moved === 0) return
    above.value += Math.max(0, moved)
    await nextTick()
    element.scrollTop += moved * rowHeight.value
  })

  function measure(): void {
    const element = box.value
    if (!element) return
    scrolled.value = element.scrollTop
    seenHeight.value = element.clientHeight
    if (element.scrollTop === 0) above.value = 0
  }
  // The top row stays at the top when the height of the rows changes.
  watch(rowHeight, async (after, before) => {
    const element = box.value
    if (!element) return
    const top = element.scrollTop / before
    await nextTick()
    element.scrollTop = top * after
    measure()
  })
  const resized = new ResizeObserver(measure)
  onMounted(() => {
    if (!box.value) return
    box.value.addEventListener('scroll', measure, { passive: true })
    resized.observe(box.value)
    measure()
  })
  onScopeDispose(() => {
    box.value?.removeEventListener('scroll', measure)
    resized.disconnect()
  })

  return {
    rows,
    range,
    topOf: (index) => index * rowHeight.value,
    height: computed(() => total.value * rowHeight.value),
    above,
    toTop() {
      above.value = 0
      box.value?.scrollTo({
        top: 0,
        behavior: (box.value?.scrollTop ?? 0) < 20 * rowHeight.value ? 'smooth' : 'auto',
      })
    },
    scrollTo(index, align) {
      const element = box.value
      if (!element) return
      const [top, bottom] = [index * rowHeight.value, (index + 1) * rowHeight.value]
      const isSeen = top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight
      if (isSeen) return
      if (align === 'center') element.scrollTop = top - (element.clientHeight - rowHeight.value) / 2
      else if (top < element.scrollTop) element.scrollTop = top
      else element.scrollTop = bottom - element.clientHeight
      measure()
    },
  }
}

/** How many rows are drawn on both sides of those in sight. */
const overscan = 8
