import {
  computed,
  inject,
  onScopeDispose,
  provide,
  ref,
  shallowRef,
  watchEffect,
  type ComputedRef,
  type InjectionKey,
  type Ref,
  type ShallowRef,
} from 'vue'
import type { AccountInfo } from '../../src/accounts/types.ts'
import { createApi, pathIn } from './api.ts'
import { useWhileSeen } from './seen.ts'

/** The accounts that the caller may see, and which of them the page shows. */
export interface PageAccounts {
  /** `default` first, then the others by name; null until the answer. */
  all: ShallowRef<AccountInfo[] | null>
  /** The name of the account that the page shows; null while it is not known which one is the caller's. */
  shown: ComputedRef<string | null>
  /** The name for requests; null: the account of the caller. */
  asked: ComputedRef<string | null>
  /** Whether there are accounts beside `default`. Only then the page mentions accounts. */
  isNamed: ComputedRef<boolean>
  /** Why the account cannot be shown. */
  problem: ComputedRef<'missing' | 'disabled' | null>
  /** The fragment of the URL. */
  hash: Readonly<Ref<string>>
  /** Changes when the page is rebuilt: for another account, or another caller. */
  epoch: Readonly<Ref<number>>
  /** Changes the fragment. */
  go(hash: string, replace: boolean): void
  /** Goes to the inbox of an account. */
  show(name: string): void
  load(): Promise<void>
  /** Rebuilds the page after a sign-in. */
  restart(): void
  /** Forgets the accounts of a caller who signed out. */
  forget(): void
}

/** The account name in the URLs of the page; null: they have none. */
const named = shallowRef<string | null>(null)

/** The beginning of the fragment of each URL of the account: `#/a/shop`, or `#` if URLs name no account. */
export const hashStart = (): string => startFor(named.value)

/** A path of the control API for a URL in the page, such as that of a download or a frame. */
export const linkTo = (path: string): string => pathIn(named.value, path)

/** The storage key for data of the shown account. For `default` it is the same as without other accounts. */
export const accountKey = (name: string): string =>
  named.value === null || named.value === mainAccount ? name : `${name}.${named.value}`

/** Makes the accounts of the page, for its root component. */
export function provideAccounts(): PageAccounts {
  const hash = ref(location.hash)
  const epoch = ref(0)
  const all = shallowRef<AccountInfo[] | null>(null)
  /** The account of a caller whose URL names none. */
  const own = ref<string | null>(null)
  let isLocked = false
  let round = 0
  const api = createApi({ onLocked: () => (isLocked = true), isSignedIn: () => Promise.resolve(false) })

  const isNamed = computed(() =>
    all.value ? all.value.some(({ name }) => name !== mainAccount) : accountIn(hash.value) !== null,
  )
  const shown = computed(() => accountIn(hash.value) ?? own.value)
  const asked = computed(() => accountIn(hash.value) ?? (isNamed.value ? own.value : null))
  const problem = computed(() => {
    if (!all.value || shown.value === null) return null
    const found = all.value.find(({ name }) => name === shown.value)
    return found ? (found.is_disabled ? 'disabled' : null) : 'missing'
  })

  /** The current fragment. The page is rebuilt before any part of it reads a URL of another account. */
  function read(): void {
    const before = shown.value
    const after = accountIn(location.hash) ?? own.value
    if (after !== before) epoch.value++
    hash.value = location.hash
  }
  // Going back to a URL with another search changes the fragment without a `hashchange`.
  for (const change of ['hashchange', 'popstate']) {
    addEventListener(change, read)
    onScopeDispose(() => removeEventListener(change, read))
  }

  async function load(): Promise<void> {
    const begun = ++round
    try {
      const { accounts } = await api.read<{ accounts: AccountInfo[] }>('dev/accounts')
      const first = await firstOf(accounts)
      if (begun !== round) return
      // Until now the page requested the caller's account without its name. It is rebuilt unless that is `default`.
      const isOther = own.value === null && accountIn(hash.value) === null && first !== mainAccount
      all.value = accounts
      own.value = first
      if (isOther) epoch.value++
    } catch {
      // A lost connection and a missing sign-in are shown elsewhere, and the request is repeated.
    }
  }

  /** The account that the server chooses for callers who name none. */
  async function firstOf(accounts: AccountInfo[]): Promise<string | null> {
    if (accounts.some(({ name }) => name === mainAccount)) return mainAccount
    if (accounts.length === 1) return accounts[0]?.name ?? null
    return (await api.session()).accounts?.[0] ?? null
  }

  function go(next: string, replace: boolean): void {
    if (next === location.hash) return
    if (replace) history.replaceState(history.state, '', location.search + next)
    else location.hash = next
    read()
  }

  // If there are other accounts than `default`, the URL gets the name of the caller's account, otherwise it loses it.
  watchEffect(() => {
    if (!all.value || own.value === null) return
    const name = accountIn(hash.value)
    if (name === null && isNamed.value) go(startFor(own.value) + restOf(hash.value), true)
    if (name === mainAccount && !isNamed.value) go(`#${restOf(hash.value)}`, true)
  })
  watchEffect(() => void (named.value = asked.value), { flush: 'sync' })
  useWhileSeen(() => {
    if (!isLocked && (all.value?.length ?? 0) <= mostRenewed) void load()
  })
  void load()

  const accounts: PageAccounts = {
    all,
    shown,
    asked,
    isNamed,
    problem,
    hash,
    epoch,
    go,
    show(name) {
      // Without the search of the other account, which is before the fragment.
      history.pushState(null, '', `${location.pathname}${startFor(isNamed.value ? name : null)}/`)
      read()
    },
    load,
    restart() {
      isLocked = false
      epoch.value++
      void load()
    },
    forget() {
      round++
      isLocked = true
      all.value = null
      own.value = null
    },
  }
  provide(key, accounts)
  return accounts
}

export function useAccounts(): PageAccounts {
  const accounts = inject(key)
  if (!accounts) throw new Error('There are no accounts above this component.')
  return accounts
}

const key: InjectionKey<PageAccounts> = Symbol('accounts')
const mainAccount = 'default'
/** The server counts the mails of each account, so longer lists are only read when the switcher opens. */
const mostRenewed = 100

const startFor = (name: string | null): string => (name === null ? '#' : `#/a/${encodeURIComponent(name)}`)

/** The account that a URL names. Names of accounts need no escapes. */
function accountIn(hash: string): string | null {
  return form.exec(hash)?.[1] ?? null
}

/** The fragment without its account: `/`, `/mail/msg_1`. */
export function restOf(hash: string): string {
  return hash.replace(form, '').replace(/^#/, '') || '/'
}

const form = /^#\/a\/([a-z0-9._-]{1,63})(?=\/|$)/
