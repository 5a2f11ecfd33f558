import { nextTick, onScopeDispose, type Ref } from 'vue'

/**
 * Keeps a popover at its opener and within the window while it is open, whatever size the window gets.
 *
 * @param side  The side of the opener that it is aligned with.
 * @returns To be called at each `toggle` of the popover: resolves once it is placed, with whether it is open.
 */
export function usePlacedPanel(
  opener: Ref<HTMLElement | undefined>,
  panel: Ref<HTMLElement | undefined>,
  side: 'start' | 'end',
): (event: ToggleEvent) => Promise<boolean> {
  function place(): void {
    if (!opener.value || !panel.value) return
    const [at, size] = [opener.value.getBoundingClientRect(), panel.value.getBoundingClientRect()]
    const wanted = side === 'start' ? at.left : at.right - size.width
    const left = Math.max(margin, Math.min(wanted, innerWidth - size.width - margin))
    const below = at.bottom + gap
    const top = below + size.height > innerHeight ? Math.max(margin, at.top - size.height - gap) : below
    Object.assign(panel.value.style, { left: `${left}px`, top: `${top}px` })
  }
  onScopeDispose(() => removeEventListener('resize', place))
  return async ({ newState }) => {
    removeEventListener('resize', place)
    if (newState !== 'open') return false
    await nextTick()
    place()
    addEventListener('resize', place)
    return true
  }
}

const margin = 8
const gap = 4
