import type { Counts } from '../core/counts.ts'
import type { Details } from './detail.ts'
import type { Inbox } from './methods.ts'
import { likelyCauses } from './missing-causes.ts'
import type { Missing } from './missing.ts'
import type { Mail } from './types.ts'
import { createWaits, type WaitDeps } from './wait.ts'

interface MailWaitDeps extends Omit<WaitDeps, 'explain'> {
  details: Pick<Details, 'read'>
  missing: Missing
  /** Counts the waits that are open. Default: nothing is counted. */
  counts?: Counts['waits'] | undefined
}

/** The waits of an inbox, for whole mails. */
export type MailWaits = Pick<Inbox, 'waitFor' | 'waitForCount' | 'expectNone'> & { close(): void }

export function createMailWaits({ details, missing, counts, ...deps }: MailWaitDeps): MailWaits {
  const waits = createWaits({
    ...deps,
    async explain(to, since) {
      const signal = AbortSignal.timeout(mostExplainMs)
      // The caller may have a key that sees only this account. The time-out is the error, whatever this finds.
      const found = await missing.explain({ to, since, signal }, { seesAccounts: false }).catch(() => null)
      return found === null ? '' : likelyCauses(found)
    },
  })
  const open = new Set<Promise<unknown>>()
  const held = <T>(work: () => Promise<T>): Promise<T> => {
    if (counts) counts.open++
    const promise = work().finally(() => {
      if (counts) counts.open--
      open.delete(promise)
    })
    open.add(promise)
    return promise
  }
  return {
    waitFor: (query, options) =>
      held(async () => details.read(await waits.waitFor(query, options), options?.signal)),
    waitForCount: (query, count, options) =>
      held(async () => {
        const mails: Mail[] = []
        // One after the other, so that many large messages are not parsed at once.
        for (const email of await waits.waitForCount(query, count, options))
          mails.push(await details.read(email, options?.signal))
        return mails
      }),
    expectNone: (query, options) => held(() => waits.expectNone(query, options)),
    close() {
      // Node would report their failures as unhandled, and hide the error that ended the test. Who awaits them gets them.
      for (const promise of open) promise.catch(() => {})
      waits.close()
    },
  }
}

/** How long a wait that timed out looks for the reason, in milliseconds. */
const mostExplainMs = 1000
