import { computed, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import type { MissingCause, MissingMail } from '../../../src/inbox/missing-types.ts'
import type { Api } from '../../composables/api.ts'
import { useLatest } from '../../composables/latest.ts'
import { inBursts } from '../shared/in-bursts.ts'
import { recipientIn } from './recipient-in.ts'

/** Why there is no mail for a search, or at all. */
export interface MissingCauses {
  /** The recipient that the search is for; null for other searches. */
  to: ComputedRef<string | null>
  /** The likeliest first. */
  causes: Readonly<Ref<readonly MissingCause[]>>
  /** Reads them again, once for all calls within a moment. */
  loadSoon(): void
}

/** @param search  `""` for an empty inbox. */
export function useMissing(api: Pick<Api, 'read'>, search: () => string): MissingCauses {
  const to = computed(() => recipientIn(search()))
  const causes = shallowRef<readonly MissingCause[]>([])
  const latest = useLatest()

  async function load(): Promise<void> {
    const signal = latest()
    // Of other searches a mail may be missing for many reasons.
    if (to.value === null && search() !== '') return
    const asked = to.value
    const since = new Date(Date.now() - wholeSpanMs).toISOString()
    const query = new URLSearchParams(asked === null ? { since } : { to: asked })
    const found = await api.read<MissingMail>(`dev/missing?${query.toString()}`, signal)
    signal.throwIfAborted()
    // That nothing came yet is what an empty inbox says by itself, and that old mail is removed explains nothing new.
    causes.value = asked === null ? found.causes.filter(({ cause }) => !plain.has(cause)) : found.causes
  }
  /** What cannot be read is shown as an error in Traffic. */
  const loadSoon = inBursts(() => void load().catch(() => undefined))
  watch(
    search,
    () => {
      // The answer to the search before must not come any more.
      latest()
      causes.value = []
      loadSoon()
    },
    { immediate: true },
  )
  return { to, causes, loadSoon }
}

/** An empty inbox shows trouble of any time: requests and sessions are kept in bounded numbers. */
const wholeSpanMs = 30 * 86_400_000
const plain: ReadonlySet<MissingCause['cause']> = new Set(['no_attempt', 'retention'])
