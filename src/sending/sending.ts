import { validationError } from '../core/errors.ts'
import { LongBody } from '../core/long-body.ts'
import { Acceptance, type AcceptanceDeps } from './acceptance.ts'
import { findByProvider } from './find-by-provider.ts'
import type { SendingResult } from './results.ts'
import { Schedule } from './schedule.ts'
import { createScheduled } from './scheduled.ts'
import type { Sending, SendingOptions } from './service.ts'
import type { SentEmail } from './types.ts'

export interface SendingDeps extends AcceptanceDeps {
  pageSize: number
  /** Called with errors of sending a scheduled email; it is tried again. */
  onError(error: unknown): void
}

export function createSending(deps: SendingDeps): Sending {
  const schedule = new Schedule(deps)
  const acceptance = new Acceptance(deps)

  async function accept(
    requests: readonly unknown[],
    options: SendingOptions,
  ): Promise<{ results: SendingResult[] }> {
    assertCount(requests)
    const { maxRecipients = maxWholeRecipients } = options
    return { results: await acceptance.accept(requests, options, { kind: 'whole', maxRecipients }) }
  }

  return {
    accept,
    async send(input, options) {
      const body = input instanceof LongBody ? await deps.thread.run('body of sends', [input.take()]) : input
      const { results } = await accept(Array.isArray(body) ? body : [body], { ...options, partial: false })
      return results.map(sentOf)
    },
    async acceptEmail(input, { idempotencyKey, trace } = {}) {
      const [result] = await acceptance.accept([input], { surface: '', idempotencyKey, trace })
      return sentOf(result)
    },
    find: (provider, messageId) => findByProvider(deps.store, provider, messageId),
    scheduled: createScheduled({ ...deps, send: (record) => schedule.send(record) }),
    schedule,
  }
}

/** How many requests one call may have, because they are stored in one commit. */
export const maxRequests = 1000
const maxWholeRecipients = 1000

function assertCount(requests: readonly unknown[]): void {
  const count = requests.length
  if (count >= 1 && count <= maxRequests) return
  const message = `must have 1 to ${maxRequests} requests, not ${count}: send them in several calls`
  throw validationError([{ field: 'body', message }])
}

/** The result of a request that was accepted. @throws its error. */
function sentOf(result: SendingResult | undefined): SentEmail {
  if (result && 'id' in result) return result
  throw result?.error ?? new Error('A request has no result.')
}
