import type { Mail } from '../../src/inbox/types.ts'
import type { Api } from './api.ts'

/** Mails that are fetched before a person opens them, so that they are shown at once. */
export interface MailsAhead {
  /** Fetches these if they are not known, and forgets all others. */
  keep(ids: readonly string[]): void
  /** The mail: the one that was fetched ahead, or else one that is fetched now. */
  get(id: string, signal: AbortSignal): Promise<Mail>
  /** Forgets mails that have changed. @param ids  Default: all. */
  forget(ids?: Iterable<string>): void
}

export function createMailsAhead(api: Pick<Api, 'get'>): MailsAhead {
  const known = new Map<string, { mail: Promise<Mail | null>; cancel(): void }>()

  function forget(ids: Iterable<string>): void {
    for (const id of ids) {
      known.get(id)?.cancel()
      known.delete(id)
    }
  }

  return {
    keep(ids) {
      forget([...known.keys()].filter((id) => !ids.includes(id)))
      for (const id of ids) {
        if (known.has(id)) continue
        const controller = new AbortController()
        // A mail that cannot be fetched ahead is fetched again when it is opened, and fails there.
        const mail = api.get(id, controller.signal).catch(() => null)
        known.set(id, { mail, cancel: () => controller.abort() })
      }
    },
    async get(id, signal) {
      const ahead = known.get(id)
      const mail = await ahead?.mail
      signal.throwIfAborted()
      // It may have changed while it was waited for.
      if (mail && known.get(id) === ahead) {
        known.delete(id)
        return mail
      }
      return await api.get(id, signal)
    },
    forget: (ids = [...known.keys()]) => forget(ids),
  }
}
