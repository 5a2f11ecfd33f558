import { nextTick, onScopeDispose, ref, type Ref } from 'vue'
import { fileNameOf, saveBlob } from '../save-file.ts'

/** A frame with a mail, and whether remote content is loaded in it. */
interface Shown {
  frame: HTMLIFrameElement
  isRemote: boolean
}

/**
 * Saves the mail in a frame as a picture.
 *
 * @param options.shown  The frame with the mail, once it is there.
 * @returns `save` for a click, `words` for the reader: what goes on, or what the picture lacks; `""` for nothing.
 */
export function usePicture(options: { shown(): Shown | undefined; inverted(): boolean }): {
  words: Ref<string>
  failed: Ref<boolean>
  save(subject: string): Promise<void>
  clear(): void
} {
  const words = ref('')
  const failed = ref(false)
  let current: AbortController | null = null

  function clear(): void {
    current?.abort()
    current = null
    words.value = ''
    failed.value = false
  }
  onScopeDispose(clear)

  async function save(subject: string): Promise<void> {
    clear()
    const mine = (current = new AbortController())
    const signal = AbortSignal.any([mine.signal, AbortSignal.timeout(deadlineMs)])
    words.value = 'The picture is being drawn…'
    try {
      await nextTick()
      const { drawFrame } = await import('./draw-frame.ts')
      const { frame, isRemote } = await whenLoaded(options.shown, signal)
      const { png, lacks } = await drawFrame(frame, { inverted: options.inverted(), isRemote, signal })
      if (mine.signal.aborted) return
      saveBlob(`${fileNameOf(subject)}.png`, png)
      words.value = lacks.join(' ')
    } catch (error) {
      if (mine.signal.aborted) return
      failed.value = true
      words.value =
        error instanceof Error && error.message ? error.message : 'The picture could not be drawn.'
    }
  }
  return { words, failed, save, clear }
}

const deadlineMs = 20_000
const lookMs = 50

/** The frame once its mail and the pictures in it are there. */
async function whenLoaded(find: () => Shown | undefined, signal: AbortSignal): Promise<Shown> {
  for (;;) {
    const shown = find()
    const content = shown?.frame.contentDocument
    const isShown = content && shown.frame.contentWindow?.location.href !== 'about:blank'
    if (isShown && Reflect.get(Document.prototype, 'readyState', content) === 'complete') return shown
    if (signal.aborted) throw new Error('The mail was not loaded in time. Try again.')
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}
