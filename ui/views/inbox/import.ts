import { ref, type Ref } from 'vue'
import type { Api } from '../../composables/api.ts'
import type { Actions } from './actions.ts'

export interface Import {
  /** Whether files are held over the list. */
  over: Ref<boolean>
  /** Lets the user choose files. */
  pick(): void
  onDrag(event: DragEvent): void
  onLeave(event: DragEvent): void
  onDrop(event: DragEvent): void
}

/** Puts `.eml` files into the inbox, chosen or dropped. */
export function useImport(api: Api, actions: Pick<Actions, 'attempt'>): Import {
  const over = ref(false)

  const send = (files: readonly File[]): Promise<void> =>
    actions.attempt(async () => {
      // One after the other, so that they arrive in their order.
      for (const file of files)
        await api.write('POST', 'dev/inbox/import', new Blob([file], { type: 'message/rfc822' }))
    })

  function pick(): void {
    const input = document.createElement('input')
    Object.assign(input, { type: 'file', multiple: true, accept: '.eml,message/rfc822', hidden: true })
    input.addEventListener('change', () => {
      input.remove()
      void send([...(input.files ?? [])])
    })
    input.addEventListener('cancel', () => input.remove())
    // In the page while the dialog is open: a browser may discard one that nothing references.
    document.body.append(input)
    input.click()
  }

  return {
    over,
    pick,
    onDrag(event) {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      over.value = true
    },
    onLeave(event) {
      const { currentTarget, relatedTarget } = event
      const isInside =
        currentTarget instanceof Node &&
        relatedTarget instanceof Node &&
        currentTarget.contains(relatedTarget)
      if (!isInside) over.value = false
    },
    onDrop(event) {
      event.preventDefault()
      over.value = false
      void send([...(event.dataTransfer?.files ?? [])])
    },
  }
}
