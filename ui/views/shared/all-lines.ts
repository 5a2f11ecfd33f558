import type { Directive } from 'vue'

/**
 * `v-all-lines="'Name'"`, on a text with the class `all-lines`: where the text is longer than its place, which scrolls then,
 * Tab stops at it, as a group that is named by the words given.
 */
export const vAllLines: Directive<HTMLElement, string> = {
  mounted(element, { value }) {
    names.set(element, value)
    watcher.observe(element)
  },
  unmounted: (element) => watcher.unobserve(element),
}

const names = new WeakMap<Element, string>()
// The height is at its limit whenever the text scrolls, so its size changes whenever that changes.
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollHeight > target.clientHeight + 1
    const given = {
      tabindex: '0',
      role: 'group',
      'aria-label': `${names.get(target)}, longer than its place`,
    }
    for (const [name, text] of Object.entries(given)) {
      if (scrolls) target.setAttribute(name, text)
      else target.removeAttribute(name)
    }
  }
})
