import type { ClientRefusal } from '../capture/options.ts'
import type { EmailRecord } from '../emails/email.ts'

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
