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
 * @param other  The id of the mail to compare it with, or `previous`.
 * @param masked  Whether differences of ids, dates, tokens and codes are ignored. A change loads the comparison again.
 */
export function useComparison(
  api: Api,
  { id, other }: { id: string; other: string },
  masked: Ref<boolean>,
): { compared: ShallowRef<Compared | null>; problem: Ref<string>; load(): Promise<void> } {
  const compared = shallowRef<Compared | null>(null)
  const problem = ref('')
  const latest = useLatest()

  async function load(): Promise<void> {
    const signal = latest()
    const path = `compare/${encodeURIComponent(other)}${masked.value ? '' : '?masked=false'}`
    try {
      const comparison = await api.read<MailComparison>(mailPath(id, path), signal)
      const known = compared.value
      const [older, newer] = known
        ? [known.older, known.newer]
        : await Promise.all([api.get(comparison.other, signal), api.get(comparison.id, signal)])
      compared.value = { older, newer, comparison }
      problem.value = ''
    } catch (error) {
      if (signal.aborted) return
      const isFirst = other === 'previous' && error instanceof ApiError && error.status === 404
      problem.value = isFirst ? noPrevious : wordsOf(error)
    }
  }
  watch(masked, load, { immediate: true })
  return { compared, problem, load }
}

const noPrevious = 'No earlier mail has this subject. Select two mails of the list to compare them.'
