import { computed, ref, type ComputedRef } from 'vue'
import { accountKey } from '../../composables/accounts.ts'
import { readStored, writeStored } from '../../composables/stored.ts'
import type { MailProblem } from './mail-problems.ts'

/** The problems that a person has put away in this browser; one that happens again is shown again. */
export interface Dismissed {
  isDismissed: ComputedRef<(problem: MailProblem) => boolean>
  dismiss(problems: readonly MailProblem[]): void
  restore(): void
}

export function useDismissed(): Dismissed {
  const name = accountKey('traffic-dismissed')
  const times = ref(new Map(parse(readStored(name))))
  function keep(entries: [string, number][]): void {
    // The newest, so that what is kept has a bound.
    times.value = new Map(entries.slice(-mostKept))
    writeStored(name, entries.length > 0 ? JSON.stringify([...times.value]) : null)
  }
  return {
    isDismissed: computed(
      () =>
        ({ key, time }) =>
          time <= (times.value.get(key) ?? -1),
    ),
    dismiss(problems) {
      const own = new Map(times.value)
      for (const { key, time } of problems) {
        own.delete(key)
        own.set(key, time)
      }
      keep([...own])
    },
    restore: () => keep([]),
  }
}

const mostKept = 200

function parse(text: string | null): [string, number][] {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return (Array.isArray(value) ? value : []).filter(
      (entry): entry is [string, number] => typeof entry?.[0] === 'string' && typeof entry?.[1] === 'number',
    )
  } catch {
    return []
  }
}
