import type { ClientRefusal } from '../capture/options.ts'
import type { EmailRecord } from '../emails/email.ts'
import { defaultAccount } from '../accounts/schema.ts'
import { monotonicNow } from '../core/machine.ts'
import type { RequestLog } from '../server/request-log.ts'

/** What an instance tells the command about while it runs: a mail that was stored, or a refusal to a client. */
export type Activity =
  | {
      readonly kind: 'mail'
      readonly email: EmailRecord
      /** The name of its account; null for `default`. */
      readonly account: string | null
      /** How long its submission took, in milliseconds; absent for sends over the API. */
      readonly durationMs?: number | undefined
    }
  | ({ readonly kind: 'refusal' } & ClientRefusal)

/** The same log, which also reports refused requests. */
export function withRefusalsReported(
  { log, accountName }: { readonly log: RequestLog; readonly accountName: string | null },
  tell: (refusal: ClientRefusal) => void,
): RequestLog {
  return {
    ...log,
    add(exchange) {
      log.add(exchange)
      const { method, path, status, startedAt, responseBody } = exchange
      if (status !== 0 && status < 400) return
      const name = /"name":"(\w{1,40})"/.exec(responseBody ?? '')?.[1]
      // A query may have a key in it.
      const command = `${method} ${path.split('?', 1)[0]}`
      tell({
        command,
        reply: status === 0 ? 'closed by a fault' : `${status}${name === undefined ? '' : ` ${name}`}`,
        client: '',
        account: accountName ?? defaultAccount,
        durationMs: monotonicNow() - startedAt,
      })
    },
  }
}
