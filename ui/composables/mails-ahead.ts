import { shallowRef, type ShallowRef } from 'vue'
import type { Mail } from '../../src/inbox/types.ts'
import type { Api } from './api.ts'

/** Mails that are fetched before a person opens them, so that they are shown at once. */
export interface MailsAhead {
  /** Those that are kept and loaded, in no order. One that was given stays until the next call of `keep`. */
  loaded: Readonly<ShallowRef<readonly Mail[]>>
  /** Fetches these if they are not known, and forgets all others that are not being opened. */
  keep(ids: readonly string[]): void
  /** The mail: the one that was fetched ahead, or else one that is fetched now. */
  get(id: string, signal: AbortSignal): Promise<Mail>
  /** Forgets mails that have changed. @param ids  Default: all. */
  forget(ids?: Iterable<string>): void
}

interface Ahead {
  /** Null if it could not be fetched. */
  readonly mail: Promise<Mail | null>
  readonly since: number
  cancel(): void
  /** The mail once it is loaded. */
  loaded: Mail | null
  /** Whether it is being opened, so that it must not be cancelled for others. */
  isWanted: boolean
}

/** @param isInformed  Whether the page is told of changes of mails. Without that, mails are fetched when they are opened. */
export function createMailsAhead(api: Pick<Api, 'get'>, isInformed: () => boolean): MailsAhead {
  const known = new Map<string, Ahead>()
  const loaded = shallowRef<readonly Mail[]>([])

  function tell(): void {
    const mails = [...known.values()].flatMap((ahead) => ahead.loaded ?? [])
    const isSame = mails.length === loaded.value.length && mails.every((mail) => loaded.value.includes(mail))
    if (!isSame) loaded.value = mails
  }

  function forget(ids: Iterable<string>): void {
    for (const id of ids) {
      known.get(id)?.cancel()
      known.delete(id)
    }
  }

  function fetch(id: string): Ahead {
    const controller = new AbortController()
    // A mail that cannot be fetched ahead is fetched again when it is opened, and fails there.
    const mail = api.get(id, controller.signal).catch(() => null)
    const ahead: Ahead = {
      mail,
      since: performance.now(),
      cancel: () => controller.abort(),
      loaded: null,
      isWanted: false,
    }
    void mail.then((found) => {
      ahead.loaded = found
      if (known.get(id) === ahead) tell()
    })
    return ahead
  }

  return {
    loaded,
    keep(ids) {
      forget([...known].filter(([id, { isWanted }]) => !isWanted && !ids.includes(id)).map(([id]) => id))
      for (const id of ids) if (!known.has(id)) known.set(id, fetch(id))
      tell()
    },
    async get(id, signal) {
      const ahead = known.get(id)
      if (!ahead || !isInformed() || performance.now() - ahead.since > mostMs) {
        forget([id])
        return await api.get(id, signal)
      }
      ahead.isWanted = true
      const mail = await ahead.mail
      // It may have changed while it was waited for.
      const isCurrent = known.get(id) === ahead
      if (isCurrent) known.delete(id)
      signal.throwIfAborted()
      return mail && isCurrent ? mail : await api.get(id, signal)
    },
    forget(ids = [...known.keys()]) {
      forget(ids)
      tell()
    },
  }
}

/** A mail is given for so long after it was fetched. */
const mostMs = 30_000
