import type { z } from 'zod'
import type { LocalpostError } from '../core/errors.ts'
import type { Answer } from './answer.ts'
import type { Method } from './method.ts'

/**
 * The face of a provider: what differs from `/v1` for all paths below one prefix. Its key is read from another place, and
 * its errors have another form. Everything else, such as limits of bodies, scopes, faults and the request log, is the same.
 */
export interface Face {
  /** Also the shape of its webhooks: `resend`. */
  readonly name: string
  /** The name of the provider, as it writes it. */
  readonly title: string
  /** The beginning of its paths: `/resend`, or several segments below that of another face. */
  readonly prefix: `/${string}`
  /** Further beginnings of its paths. Default: none. */
  readonly otherPrefixes?: readonly `/${string}`[]
  /** Who may call: as `/v1`, with a key, or as `/dev`, which on this machine needs none. Default: `key`. */
  readonly access?: 'key' | 'local'
  /** Whether the provider takes the names of a query in any case, and a slash at the end of a path. Default: false. */
  readonly lenient?: boolean
  /** Where a request has its API key. */
  readonly key: KeyPlace
  /**
   * The name and password that a request has, for a face that users of the file of users may call with these. Default: they
   * may not.
   */
  credentialsOf?(headers: Pick<Headers, 'get'>): { name: string; password: string } | null
  /**
   * Writes an error as the provider does; the headers of the error have to be in the answer.
   *
   * @param pathname  The path of the request, or of the route.
   */
  errorAnswer(error: LocalpostError, pathname: string): Answer
  /** The body of its errors in JSON, for the document. */
  readonly errorSchema: z.ZodType
  /** How an app is pointed here. */
  readonly connect: FaceConnection
  /** What the provider has and Localpost has not. */
  readonly unsupported: readonly UnsupportedOperation[]
}

/** How an app that uses the SDK of a provider is pointed to Localpost; for the page and `docs/providers`. */
export interface FaceConnection {
  /** Variables that the SDKs read: name to value, where `{url}` and `{key}` are those of the instance. */
  readonly variables: Readonly<Record<string, string>>
  /** A program in JavaScript that sends with the SDK, with the same placeholders. */
  readonly code: string
}

/** Where callers have their API key, and what they are told without one. */
export interface KeyPlace {
  /** @returns null if the request has none there. */
  of(headers: Pick<Headers, 'get'>): string | null
  /** What to send, one of these: `Authorization: Bearer <API_KEY>`. */
  readonly headerForms: readonly string[]
  /** For `WWW-Authenticate`; absent for schemes that HTTP does not know. */
  readonly challenge?: string
  /** As a security scheme of OpenAPI. */
  readonly scheme: object
  /** What to do about a key that means something to the provider alone: a sentence; null for any other. */
  adviceOn?(key: string): string | null
}

/** An operation of a provider that is answered with the error `not_supported`. */
export interface UnsupportedOperation {
  /** Default: all methods. */
  readonly method?: Method
  /** Without the prefix of the face: `/domains/{id}/claim`. At its end, `/**` stands for the path and all below it. */
  readonly path: string
  /** What it is, as a noun at the beginning of a sentence: `Broadcasts`. */
  readonly what: string
}
