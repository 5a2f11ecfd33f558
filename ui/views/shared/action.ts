import { ref, type Ref } from 'vue'
import { wordsOf } from '../../composables/api.ts'

/** Runs the actions of a person, one at a time, and says why the last one failed. */
export interface Action {
  busy: Ref<boolean>
  problem: Ref<string>
  /** Runs an action, unless another one is running. @returns Whether it was done. */
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
