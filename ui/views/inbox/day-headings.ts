import { computed, type ComputedRef, type Ref } from 'vue'
import type { ListWindow } from '../../composables/list-window.ts'
import { dayOf, dayWords } from '../../composables/time.ts'

/** The days of a list, in the time zone of the page. */
export interface DayHeadings {
  /** The positions of the loaded rows that begin a day, in ascending order. */
  headed: ComputedRef<number[]>
  /** The day of a row in words; `''` while it is not loaded. */
  dayAt(index: number): string
}

export function useDayHeadings(loaded: Readonly<Ref<ListWindow>>, now: Readonly<Ref<number>>): DayHeadings {
  return {
    headed: computed(() => {
      const { first, emails } = loaded.value
      // The row before the first loaded one is not known.
      let last = first === 0 ? Number.NaN : undefined
      return emails.flatMap(({ received }, at) => {
        const day = dayOf(received)
        const begins = last !== undefined && day !== last
        last = day
        return begins ? [first + at] : []
      })
    }),
    dayAt(index) {
      const { first, emails } = loaded.value
      const mail = emails[index - first]
      return mail ? dayWords(mail.received, now.value) : ''
    },
  }
}
