/**
 * Measures inside the page; `page.addInitScript` runs it before the scripts of the page.
 *
 * `bench.after(begin, isDone)` begins something and answers the milliseconds until `isDone` is true and the frame with it
 * is painted. `bench.busiest()` answers the longest time without a frame since the last call.
 */
export function observePage() {
  // The frame of a mail runs no scripts, so each tick of a timer in it would be an error in the console.
  if (globalThis.top !== globalThis.self) return
  const painted = () =>
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))

  /** Looks after each change of the document and each frame. */
  const until = (isDone, limitMs) =>
    new Promise((resolve, reject) => {
      const endsAt = performance.now() + limitMs
      const observer = new MutationObserver(look)
      observer.observe(document, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      })
      let isOver = false
      function look() {
        if (isOver) return
        const isFound = isDone()
        if (!isFound && performance.now() < endsAt) return
        isOver = true
        observer.disconnect()
        if (isFound) resolve(painted())
        else reject(new Error(`not seen within ${limitMs} ms: ${isDone}`))
      }
      function frame() {
        look()
        if (!isOver) requestAnimationFrame(frame)
      }
      frame()
    })

  const rows = () => [...document.querySelectorAll('nav.list .rows a')]
  let worst = 0
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    worst = Math.max(worst, now - last)
    last = now
  }, 4)

  globalThis.bench = {
    rows,
    until: (isDone, limitMs = 30_000) => until(isDone, limitMs),
    async after(begin, isDone, limitMs = 30_000) {
      const startedAt = performance.now()
      begin()
      return (await until(isDone, limitMs)) - startedAt
    },
    text: (selector) => document.querySelector(selector)?.textContent?.trim() ?? '',
    busiest() {
      const answer = worst
      worst = 0
      last = performance.now()
      return answer
    },
  }
  globalThis.firstList = until(() => rows().length > 0, 60_000).catch(() => Number.NaN)
}
