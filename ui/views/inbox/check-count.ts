import { computed, onScopeDispose, ref, watch, type ComputedRef, type Ref } from 'vue'
import type { CheckReport } from '../../../src/checks/types.ts'
import type { Mail } from '../../../src/inbox/types.ts'
import { type Api, mailPath } from '../../composables/api.ts'
import { groupsOf } from './checks.ts'

/** How many checks of the open mail fail, by severity. */
interface CheckCount {
  errors: number
  warnings: number
}

/** Checks a mail that stays open for a moment. Large ones are checked when their tab is opened. */
export function useCheckCount(api: Api, mail: Readonly<Ref<Mail | null>>): ComputedRef<CheckCount | null> {
  const counted = ref<(CheckCount & { id: string }) | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  let current = new AbortController()
  const stop = (): void => {
    clearTimeout(timer)
    current.abort()
  }
  async function count(id: string): Promise<void> {
    current = new AbortController()
    // A failure is shown in the tab.
    const report = await api.read<CheckReport>(mailPath(id, 'checks'), current.signal).catch(() => null)
    if (!report) return
    const groups = groupsOf(report)
    const of = (key: string): number => groups.find((group) => group.key === key)?.checks.length ?? 0
    counted.value = { id, errors: of('error'), warnings: of('warning') }
  }
  watch(
    () => [mail.value?.id, mail.value?.size_bytes] as const,
    ([id, size]) => {
      stop()
      if (id !== undefined && size && size <= largest) timer = setTimeout(() => void count(id), pauseMs)
    },
    { immediate: true },
  )
  onScopeDispose(stop)
  return computed(() => (counted.value && counted.value.id === mail.value?.id ? counted.value : null))
}

const pauseMs = 500
const largest = 256 * 1024
