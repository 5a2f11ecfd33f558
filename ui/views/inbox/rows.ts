import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/vue-virtual'
import { computed, nextTick, onMounted, onScopeDispose, ref, watch, type ComputedRef, type Ref } from 'vue'
import type { MailSummary } from '../../../src/inbox/types.ts'

export interface RowsParts {
  /** What scrolls. */
  box: Ref<HTMLElement | undefined>
  /** The loaded rows, from the first on. */
  emails: Ref<MailSummary[]>
  /** How many there are, loaded or not. */
  total: Ref<number>
  /** The row that stays in the page wherever the list is scrolled to: the one that Tab reaches. */
  keep: Ref<number>
}

export interface Rows {
  /** The rows to draw. */
  rows: ComputedRef<VirtualItem[]>
  /** Of all rows, in pixels. */
  height: ComputedRef<number>
  /** How many rows came in above what is looked at. */
  above: Ref<number>
  toTop(): void
  /** Brings a row into view; with `center`, one that is not in view yet goes to the middle. */
  scrollTo(index: number, align: 'auto' | 'center'): void
}

/** The rows in sight of a list of any length; what is looked at stays where it is while rows come and go above it. */
export function useRows({ box, emails, total, keep }: RowsParts): Rows {
  const above = ref(0)
  const rowHeight = rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const virtual = useVirtualizer(
    computed(() => ({
      count: total.value,
      getScrollElement: () => box.value ?? null,
      estimateSize: () => rowHeight,
      overscan: 8,
      getItemKey: (index: number) => emails.value[index]?.id ?? index,
      rangeExtractor(range: Parameters<typeof defaultRangeExtractor>[0]): number[] {
        const inSight = defaultRangeExtractor(range)
        const kept = keep.value
        if (kept >= range.count || inSight.includes(kept)) return inSight
        return [...inSight, kept].sort((a, b) => a - b)
      },
    })),
  )

  watch(emails, async (after, before) => {
    const element = box.value
    if (!element || element.scrollTop === 0 || before.length === 0) return
    const moved = movedBy(before, after, Math.floor(element.scrollTop / rowHeight))
    if (moved === 0) return
    above.value += Math.max(0, moved)
    await nextTick()
    element.scrollTop += moved * rowHeight
  })

  function onScroll(): void {
    if (box.value?.scrollTop === 0) above.value = 0
  }
  onMounted(() => box.value?.addEventListener('scroll', onScroll, { passive: true }))
  onScopeDispose(() => box.value?.removeEventListener('scroll', onScroll))

  return {
    rows: computed(() => virtual.value.getVirtualItems()),
    height: computed(() => virtual.value.getTotalSize()),
    above,
    toTop() {
      above.value = 0
      box.value?.scrollTo({
        top: 0,
        behavior: (box.value?.scrollTop ?? 0) < 20 * rowHeight ? 'smooth' : 'auto',
      })
    },
    scrollTo(index, align) {
      const element = box.value
      if (!element) return
      const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight]
      const isSeen = top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight
      if (isSeen) return
      if (align === 'center') element.scrollTop = top - (element.clientHeight - rowHeight) / 2
      else if (top < element.scrollTop) element.scrollTop = top
      else element.scrollTop = bottom - element.clientHeight
    },
  }
}

// As `MailList.vue` says it to the browser.
const rowRem = 4.875

/** By how many places the row at `first`, or the next one that is still there, went down. */
function movedBy(before: readonly MailSummary[], after: readonly MailSummary[], first: number): number {
  for (let at = first; at < Math.min(before.length, first + 50); at++) {
    const now = after.findIndex(({ id }) => id === before[at]?.id)
    if (now !== -1) return now - at
  }
  return 0
}
