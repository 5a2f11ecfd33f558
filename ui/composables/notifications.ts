import { inject, onScopeDispose, provide, ref, type InjectionKey, type Ref } from 'vue'
import { createGathering, type Gathered } from './gathered-mail.ts'
import type { Instance } from './instance.ts'
import { readStored, writeStored } from './stored.ts'
import { spellOverrides, splitAddress } from './words.ts'

/** Desktop notifications about new mail, off until they are turned on in this browser. */
export interface Notifications {
  isOn: Ref<boolean>
  /** Why they cannot be turned on; `""` if they can. */
  problem: Ref<string>
  /** Turns them on, after the browser's permission prompt, or off. */
  toggle(): Promise<void>
}

/**
 * Notifies of new mail in every room while the page is not visible.
 *
 * @param openMail  Called with the id of the newest mail when a person clicks a notification.
 */
export function provideNotifications(
  { api, live }: Pick<Instance, 'api' | 'live'>,
  openMail: (id: string) => void,
): Notifications {
  const isOn = ref(readStored(name) === 'on' && isSupported() && Notification.permission === 'granted')
  const problem = ref('')
  const gathering = createGathering((gathered) => void tell(gathered))
  live.listen({ onChanges: ({ created }) => isOn.value && gathering.add(created) })
  onScopeDispose(gathering.stop)

  async function tell({ count, newest }: Gathered): Promise<void> {
    if (!isOn.value || document.hasFocus()) return
    // If the request fails: a lost connection is shown elsewhere, and a mail may already be deleted.
    const page = await api.list({ query: `id:${newest}`, limit: 1 }).catch(() => null)
    const mail = page?.emails[0]
    if (!mail) return
    const sender = splitAddress(mail.from)
    const subject = spellOverrides(mail.subject) || 'No subject'
    const from = spellOverrides(sender.name || sender.address) || 'No sender'
    try {
      // With the same tag, other tabs and later bursts replace the existing notification.
      const shown = new Notification(count > 1 ? `${count} new mails` : from, {
        body: count > 1 ? `${from}: ${subject}` : subject,
        tag: 'localpost',
        icon: 'favicon.svg',
      })
      shown.addEventListener('click', () => {
        window.focus()
        openMail(newest)
        shown.close()
      })
    } catch {
      // In some mobile browsers only workers may show notifications, even with the permission.
      isOn.value = false
      problem.value = unsupported
    }
  }

  async function toggle(): Promise<void> {
    problem.value = ''
    if (isOn.value) {
      isOn.value = false
      return writeStored(name, null)
    }
    if (!isSupported()) return void (problem.value = unsupported)
    if (!isSecureContext) return void (problem.value = insecure)
    const permission = await Notification.requestPermission()
    isOn.value = permission === 'granted'
    if (isOn.value) writeStored(name, 'on')
    else problem.value = permission === 'denied' ? denied : dismissed
  }
  const state = { isOn, problem, toggle }
  provide(key, state)
  return state
}

/** @throws Error outside of the component that called {@link provideNotifications}. */
export function useNotifications(): Notifications {
  const state = inject(key)
  if (!state) throw new Error('There are no notifications above this component.')
  return state
}

const key: InjectionKey<Notifications> = Symbol('notifications')
const name = 'notifications'
const isSupported = (): boolean => typeof Notification !== 'undefined'
const unsupported = 'This browser has no desktop notifications for pages.'
const insecure = 'Browsers allow notifications over HTTPS and on localhost only.'
const denied =
  'This browser denies notifications to this page. Allow them in its settings for this site, then try again.'
const dismissed = 'Notifications stay off, because the permission prompt of the browser was not answered.'
