import { reactive, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { ListedMail, Mail } from '../../src/inbox/types.ts'
import { type Api, ApiError, wordsOf } from './api.ts'
import type { MailsAhead } from './mails-ahead.ts'

/** The mail that is being read. */
export interface OpenMail {
  /** The previous mail until the next is loaded, so that nothing flickers while moving through the list. */
  mail: ShallowRef<Mail | null>
  phase: Ref<'none' | 'loading' | 'ready' | 'gone' | 'failed'>
  /** Why it could not be loaded, in words. */
  problem: Ref<string>
  /** The ids of mails whose bytes were found to be damaged when they were opened. */
  damaged: ReadonlySet<string>
  /** The mails that will probably be opened next, once they are fetched. */
  ahead: MailsAhead['fetched']
  /** The mail that will be the next one, until it is loaded; null if none is expected. */
  coming: Readonly<Ref<ListedMail | null>>
  /** Loads it again in place. */
  reload(): Promise<void>
  /** Changes it, if it is this one, as the server did. */
  patch(id: string, change: Partial<Mail>): void
  /** Marks the mail as deleted. */
  markGone(): void
}

/**
 * Loads the mail with this id whenever the id changes.
 *
 * @param onOpened  Called once per opened mail, not when it is loaded again.
 */
export function useOpenMail(
  api: Api,
  { ahead, coming }: { ahead: MailsAhead; coming: OpenMail['coming'] },
  id: Readonly<Ref<string | null>>,
  onOpened: (mail: Mail) => void,
): OpenMail {
  const mail = shallowRef<Mail | null>(null)
  const phase = ref<'none' | 'loading' | 'ready' | 'gone' | 'failed'>('none')
  const problem = ref('')
  const damaged = reactive(new Set<string>())
  let current = new AbortController()
  // The first load that completes opens the mail, because a later one may have cancelled an earlier one.
  let openedId: string | null = null
  let loads = 0

  async function load(wanted: string): Promise<void> {
    current.abort()
    current = new AbortController()
    const { signal } = current
    loads++
    try {
      mail.value = await (openedId === wanted ? api : ahead).get(wanted, signal)
      damaged.delete(wanted)
      phase.value = 'ready'
      if (openedId !== wanted) {
        openedId = wanted
        onOpened(mail.value)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.name === 'store_corrupt') damaged.add(wanted)
      const isGone = error instanceof ApiError && error.status === 404
      // The open mail stays when it cannot be loaded again; the lost connection is shown elsewhere.
      if (!isGone && openedId === wanted) return
      phase.value = isGone ? 'gone' : 'failed'
      problem.value = wordsOf(error)
    } finally {
      loads--
    }
  }

  async function reload(): Promise<void> {
    if (id.value !== null) await load(id.value)
  }

  watch(
    id,
    async (wanted) => {
      current.abort()
      openedId = null
      phase.value = wanted === null ? 'none' : 'loading'
      if (wanted === null) mail.value = null
      else await load(wanted)
    },
    { immediate: true },
  )

  return {
    mail,
    phase,
    problem,
    damaged,
    ahead: ahead.fetched,
    coming,
    reload,
    patch(wanted, change) {
      if (mail.value?.id === wanted) mail.value = { ...mail.value, ...change }
      if (loads === 0 || id.value !== wanted) return
      // What is being loaded, or was fetched ahead, may be older than the change.
      ahead.outdate([wanted])
      void reload()
    },
    markGone: () => (phase.value = 'gone'),
  }
}
