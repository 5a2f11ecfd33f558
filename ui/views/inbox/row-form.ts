import { computed, onMounted, onScopeDispose, ref, type ComputedRef, type Ref } from 'vue'

/**
 * How the rows of the list are laid out: `three` lines in a narrow list, `two` on a phone and where rows are compact;
 * where the list is wide, columns, of two lines (`columns`) or of one (`single`).
 */
export type RowForm = 'three' | 'two' | 'columns' | 'single'

/** @param box  The element that has the rows. */
export function useRowForm(
  box: Readonly<Ref<HTMLElement | undefined>>,
  compact: () => boolean,
): { form: ComputedRef<RowForm>; rem: ComputedRef<number> } {
  const isWide = ref(false)
  const phone = matchMedia('(max-width: 47.99rem)')
  const isPhone = ref(phone.matches)
  const onPhone = ({ matches }: MediaQueryListEvent): void => void (isPhone.value = matches)
  const resized = new ResizeObserver(([entry]) => {
    const fontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    isWide.value = (entry?.contentRect.width ?? 0) >= wideFrom * fontSize
  })
  onMounted(() => {
    phone.addEventListener('change', onPhone)
    if (box.value) resized.observe(box.value)
  })
  onScopeDispose(() => {
    phone.removeEventListener('change', onPhone)
    resized.disconnect()
  })
  const form = computed<RowForm>(() => {
    if (isWide.value) return compact() ? 'single' : 'columns'
    return compact() || isPhone.value ? 'two' : 'three'
  })
  return {
    form,
    rem: computed(() => (form.value === 'two' && !compact() ? phoneRem : heights[form.value])),
  }
}

/** The heights of rows, in rem. A row that is touched is at least as high as a finger is wide. */
const heights: Readonly<Record<RowForm, number>> = { three: 4.875, two: 2.75, columns: 3.375, single: 2.25 }
const phoneRem = 3.625
/** The width of a list from which its rows have columns, in rem. */
const wideFrom = 48
