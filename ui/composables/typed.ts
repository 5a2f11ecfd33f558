import { type Ref, watch } from 'vue'

/** Calls `search` with a text that a person types, without the space around it, when the person pauses. */
export function onTyped(text: Ref<string>, search: (text: string) => void): void {
  let waiting: ReturnType<typeof setTimeout> | undefined
  let typedAt = Number.NEGATIVE_INFINITY
  watch(text, (typed) => {
    clearTimeout(waiting)
    const now = performance.now()
    const wait = now - typedAt > pauseMs ? 0 : typingMs
    typedAt = now
    waiting = setTimeout(() => search(typed.trim()), wait)
  })
}

/** What is pasted, or the first letter after this pause, is searched for at once. */
const pauseMs = 500
/** Short, because a search over 100,000 mails takes about as long; one that the next letter replaces is aborted. */
const typingMs = 50
