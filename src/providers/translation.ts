import type { LocalpostError } from '../core/errors.ts'
import type { SendingRequest } from '../sending/types.ts'

/** What a translation needs besides the request. */
export interface TranslationFacts {
  /** Unix time in milliseconds. */
  readonly now: number
  /** Whether mail goes to a relay. */
  readonly relays: boolean
}

/** A request as the core takes it, or what is wrong with it. */
export type Translated =
  | {
      readonly request: SendingRequest
      /** Whether all requests of the body are only checked. Default: false. */
      readonly checkOnly?: boolean
      /** The id of the email, where the request itself gives it. */
      readonly messageId?: string | undefined
    }
  | { readonly error: LocalpostError }

/**
 * Translates the body of a request to a provider into the requests of the core, one for each email.
 *
 * @throws LocalpostError if the body as a whole is wrong.
 */
export type Translate = (body: unknown, facts: TranslationFacts) => Translated[]
