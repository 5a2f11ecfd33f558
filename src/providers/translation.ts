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
      /** The id of the email, where the request itself gives it. */
      readonly messageId?: string | undefined
    }
  | { readonly error: LocalpostError }

/** The body of a request to a provider, as the core takes it. */
export interface Translation {
  /** One for each email. */
  readonly emails: Translated[]
  /** Whether the emails are only checked, and none is sent. Default: false. */
  readonly checkOnly?: boolean
}

/**
 * Translates the body of a request to a provider into requests of the core.
 *
 * @throws LocalpostError if the body as a whole is wrong.
 */
export type Translate = (body: unknown, facts: TranslationFacts) => Translation
