import { ref, type Ref } from 'vue'
import { wordsOf } from '../../composables/api.ts'

/** Something that is being done for a person, one at a time, and why the last one failed. */
export interface Action {
  busy: Ref<boolean>
  problem: Ref<string>
  /** Does it, unless another is under way. @returns Whether it was done. */
  run(work: () => Promise<void>): Promise<boolean>
}

export function useAction(): Action {
  const busy = ref(false)
  const problem = ref('')
  async function run(work: () => Promise<void>): Promise<boolean> {
    if (busy.value) return false
    busy.value = true
    problem.value = ''
    try {
      await work()
      return true
    } catch (error) {
      problem.value = wordsOf(error)
      return false
    } finally {
      busy.value = false
    }
  }
  return { busy, problem, run }
}
