import { ref, type Ref } from 'vue'

type Question = [title: string, text: string, action: string]

/** The question before mail is deleted; where it is all mail, with what else can be deleted. */
export function useDeleteQuestion(
  dialog: Ref<{ ask(...question: Question): Promise<boolean> } | undefined>,
  extras: Ref<{ removal(): () => Promise<void> } | undefined>,
): {
  /** Whether the question is the one before all mail is deleted. */
  isAskingAll: Ref<boolean>
  ask(...question: Question): Promise<boolean>
  /** Resolves with what deletes everything else that was chosen; null if nothing is to be deleted. */
  askAll(...question: Question): Promise<(() => Promise<void>) | null>
} {
  const isAskingAll = ref(false)
  const ask = async (...question: Question): Promise<boolean> =>
    (await dialog.value?.ask(...question)) ?? false
  return {
    isAskingAll,
    ask,
    async askAll(...question) {
      // Loaded first, so that the buttons of the question do not move.
      await import('./DeleteExtras.vue').catch(() => undefined)
      isAskingAll.value = true
      const isWanted = await ask(...question)
      const remove = extras.value?.removal() ?? (() => Promise.resolve())
      isAskingAll.value = false
      return isWanted ? remove : null
    },
  }
}
