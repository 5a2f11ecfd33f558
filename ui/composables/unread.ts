import { inject, onScopeDispose, provide, ref, watchEffect, type InjectionKey, type Ref } from 'vue'
import type { Instance } from './instance.ts'

/** The number of unread mails and the name of the page, which form the title of the tab. */
export interface PageTitle {
  unread: Ref<number>
  /** Without the number. */
  title: Ref<string>
}

/** Counts unread mail for the whole page, in the tab and its icon too. For the root component. */
export function providePageTitle({ api, live, locked }: Instance): PageTitle {
  const unread = ref(0)
  const title = ref('Localpost')
  let isCounting = false
  let isAgain = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Counts again after changes, but not after each of many. */
  function recount(): void {
    isAgain = true
    if (isCounting) return
    isCounting = true
    void count()
  }
  async function count(): Promise<void> {
    while (isAgain && !locked.value) {
      isAgain = false
      try {
        unread.value = (await api.list({ query: 'is:unread', limit: 1 })).count
      } catch {
        // The lost connection is shown elsewhere, and the next connection counts again.
        break
      }
      await new Promise((resolve) => (timer = setTimeout(resolve, pauseMs)))
    }
    isCounting = false
  }
  live.listen({ onConnected: recount, onChanges: recount, onMarked: recount, onManyChanged: recount })
  onScopeDispose(() => clearTimeout(timer))

  watchEffect(
    () => (document.title = unread.value > 0 ? `(${short(unread.value)}) ${title.value}` : title.value),
  )
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  const plain = icon?.href ?? ''
  watchEffect(() => {
    if (icon) icon.href = unread.value > 0 ? iconWith(short(unread.value)) : plain
  })
  const state = { unread, title }
  provide(key, state)
  return state
}

export function usePageTitle(): PageTitle {
  const state = inject(key)
  if (!state) throw new Error('There is no page title above this component.')
  return state
}

const key: InjectionKey<PageTitle> = Symbol('page title')
const pauseMs = 400

/** A count that has at most three digits. */
export function short(count: number): string {
  return count < 1000 ? String(count) : count < 1_000_000 ? `${Math.floor(count / 1000)}k` : '1M+'
}

/** The icon of the page with a number in it. */
function iconWith(words: string): string {
  const size = words.length < 3 ? 17 : 13
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3450c4"/><path d="M5 9v9c0 1 .8 1.800 1.800 1.800h13M5.400 9.200 14 14.800l8.600-5.600" fill="none" stroke="#fff" stroke-width="2.400" stroke-linecap="round" stroke-linejoin="round"/><rect x="10" y="13" width="22" height="19" rx="7" fill="#ffc46b"/><text x="21" y="28.500" font-family="system-ui,sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#151517">${words}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
