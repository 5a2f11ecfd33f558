import { shallowRef, type ShallowRef } from 'vue'
import type { Mail } from '../../src/inbox/types.ts'
import type { Api } from './api.ts'

/** Mails that are fetched before a person opens them, so that they are shown at once. */
export interface MailsAhead {
  /** The mails that were fetched, in no particular order. One that has changed stays until it was fetched again. */
  fetched: Readonly<ShallowRef<readonly Mail[]>>
  /** Fetches these if they are not known, and forgets all others that are not being opened. */
  keep(ids: readonly string[]): void
  /** The mail: the one that was fetched ahead, or else one that is fetched now. */
  get(id: string, signal: AbortSignal): Promise<Mail>
  /** Fetches mails again before they are given, because they have changed. @param ids  Default: all. */
  outdate(ids?: Iterable<string>): void
  /** Forgets mails that were deleted. @param ids  Default: all. */
  forget(ids?: Iterable<string>): void
}

interface Ahead {
  /** Null if it could not be fetched. */
  readonly mail: Promise<Mail | null>
  readonly since: number
  cancel(): void
  /** The mail that arrived last. */
  found: Mail | null
  /** Whether it is being opened, so that it must not be cancelled for others. */
  isWanted: boolean
  /** Whether it must be fetched again, because it has changed or was given. */
  isOutdated: boolean
}

/** @param isInformed  Whether the page is told of changes of mails. Without that, mails are fetched when they are opened. */
export function createMailsAhead(api: Pick<Api, 'get'>, isInformed: () => boolean): MailsAhead {
  const known = new Map<string, Ahead>()
  const fetched = shallowRef<readonly Mail[]>([])

  function publish(): void {
    const mails = [...known.values()].flatMap(({ found }) => found ?? [])
    const isSame =
      mails.length === fetched.value.length && mails.every((mail) => fetched.value.includes(mail))
    if (!isSame) fetched.value = mails
  }

  function forget(ids: Iterable<string>): void {
    for (const id of ids) {
      known.get(id)?.cancel()
      known.delete(id)
    }
  }

  /** @param before  The mail as it was fetched before. */
  function fetch(id: string, before: Mail | null): Ahead {
    const controller = new AbortController()
    // A mail that cannot be fetched ahead is fetched again when it is opened, and fails there.
    const mail = api.get(id, controller.signal).catch(() => null)
    const ahead: Ahead = {
      mail,
      since: performance.now(),
      cancel: () => controller.abort(),
      found: before,
      isWanted: false,
      isOutdated: false,
    }
    void mail.then((found) => {
      ahead.found = found
      if (known.get(id) === ahead) publish()
    })
    return ahead
  }

  return {
    fetched,
    keep(ids) {
      forget([...known].filter(([id, { isWanted }]) => !isWanted && !ids.includes(id)).map(([id]) => id))
      for (const id of ids) {
        const ahead = known.get(id)
        if (ahead && (ahead.isWanted || !ahead.isOutdated)) continue
        ahead?.cancel()
        known.set(id, fetch(id, ahead?.found ?? null))
      }
      publish()
    },
    async get(id, signal) {
      const ahead = known.get(id)
      if (!ahead) return await api.get(id, signal)
      ahead.isOutdated ||= !isInformed() || performance.now() - ahead.since > mostMs
      ahead.isWanted = true
      try {
        const mail = ahead.isOutdated ? null : await ahead.mail
        signal.throwIfAborted()
        // It may have changed while it was waited for.
        const isCurrent = known.get(id) === ahead && !ahead.isOutdated
        return mail && isCurrent ? mail : await api.get(id, signal)
      } finally {
        ahead.isWanted = false
        ahead.isOutdated = true
      }
    },
    outdate(ids = known.keys()) {
      for (const id of ids) {
        const ahead = known.get(id)
        if (ahead) ahead.isOutdated = true
      }
    },
    forget(ids = [...known.keys()]) {
      forget(ids)
      publish()
    },
  }
}

/** A mail is given for so long after it was fetched. */
const mostMs = 30_000
