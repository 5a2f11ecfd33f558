import { onScopeDispose } from 'vue'

/** Makes a listener whose calls within 150 ms lead to one `read`, after them. */
export function inBursts(read: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  onScopeDispose(() => clearTimeout(timer))
  return () =>
    void (timer ??= setTimeout(() => {
      timer = undefined
      read()
    }, 150))
}
