import { ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { MailComparison } from '../../../../src/compare/types.ts'
import type { Mail } from '../../../../src/inbox/types.ts'
import { type Api, ApiError, mailPath, wordsOf } from '../../../composables/api.ts'
import { useLatest } from '../../../composables/latest.ts'

/** Two mails and how they differ. */
export interface Compared {
  older: Mail
  newer: Mail
  comparison: MailComparison
}

/**
 * Loads two mails and their comparison.
 *
 * @param id  The id of the open mail.
 * @param other  The id of the mail to compare it with, or `previous`. Either may be the older one.
 * @param masked  Whether differences of ids, dates, tokens and codes are ignored. A change loads the comparison again.
 */
export function useComparison(
  api: Api,
  { id, other }: { id: string; other: string },
  masked: Ref<boolean>,
): {
  compared: ShallowRef<Compared | null>
  problem: Ref<string>
  /** Whether no earlier mail has the subject. */
  isFirst: Ref<boolean>
  load(): Promise<void>
} {
  const compared = shallowRef<Compared | null>(null)
  const problem = ref('')
  const isFirst = ref(false)
  const latest = useLatest()
  // Ids are ordered like the mails; see docs/adr/0006. The older mail is the one that is compared with.
  const [newer, older] = other !== 'previous' && other > id ? [other, id] : [id, other]

  async function load(): Promise<void> {
    const signal = latest()
    const path = `compare/${encodeURIComponent(older)}${masked.value ? '' : '?masked=false'}`
    try {
      const comparison = await api.read<MailComparison>(mailPath(newer, path), signal)
      const known = compared.value
      const mails = known ?? (await readBoth(comparison, signal))
      compared.value = { older: mails.older, newer: mails.newer, comparison }
      problem.value = ''
    } catch (error) {
      if (signal.aborted) return
      isFirst.value = other === 'previous' && error instanceof ApiError && error.status === 404
      problem.value = isFirst.value ? '' : wordsOf(error)
    }
  }
  async function readBoth(
    { id, other }: MailComparison,
    signal: AbortSignal,
  ): Promise<Pick<Compared, 'older' | 'newer'>> {
    const [older, newer] = await Promise.all([api.get(other, signal), api.get(id, signal)])
    return { older, newer }
  }
  watch(masked, load, { immediate: true })
  return { compared, problem, isFirst, load }
}
