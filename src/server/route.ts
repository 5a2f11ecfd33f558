import type { z } from 'zod'
import type { ErrorCode } from '../core/errors.ts'
import type { Face } from './face.ts'
import type { Method } from './method.ts'
import type { Scope } from '../keys/types.ts'
import type { LongBodyKind } from './long-bodies.ts'

/**
 * What a route requires: a scope of API keys, or `admin`, which only keys of scope `full` and users with the role
 * `admin` have. It is for routes that give access or empty the instance. A route with `read` changes and sends nothing.
 */
export type Need = Scope | 'admin'

/** One row of the table that the router and the OpenAPI document are both made from. */
export interface Route {
  readonly method: Method
  /** With `{name}` for a parameter, as OpenAPI writes it. */
  readonly path: string
  /** Further spellings of the path, for clients that use them; not in the document. Default: none. */
  readonly alsoAt?: readonly string[]
  /** The provider whose API this is a part of. Default: none, it is Localpost's own. */
  readonly face?: Face
  /** The chapter of the document. */
  readonly tag: string
  readonly summary: string
  /** The form of its path parameters, if they are more than text; only for the document. */
  readonly params?: Readonly<Record<string, { readonly maxLength: number; readonly pattern: string }>>
  /**
   * Converts the query for the handler; a row without one reads no query. In `/dev` it refuses unknown members, because a
   * misspelt one would do something else than is meant. It ignores them in `/v1`, as the interface does, and where a browser
   * opens an address that others extend: the HTML of a mail, and sign-in with a provider.
   */
  readonly query?: z.ZodType
  /** Request headers that it reads, with their meaning and maximum length; only for the document. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly maxLength?: number }>>
  readonly body?: RouteBody
  readonly success: RouteSuccess
  /** Its error codes besides those that follow from its access, its body and the store; see `route-errors.ts`. */
  readonly errors?: readonly ErrorCode[]
  /**
   * Who may call: `key` needs an API key, `local` must pass the guard of the control API, `open` only its Origin check;
   * `public` is for anyone, even pages of other sites.
   */
  readonly access: 'key' | 'local' | 'open' | 'public'
  /** What the caller needs, by the query of the request. Default: `read` for a GET, `full` for the others. */
  readonly needs?: Need | ((query: string) => Need)
  /**
   * Calls one function of a resource and returns its result.
   *
   * @returns The value of a JSON body, or an `Answer` to set more than the body.
   */
  handler(context: RouteContext): unknown
}

/** The body that a route takes, and how it is read. */
export interface RouteBody {
  /** The form of the body, for the document, and for the check unless `readBy` says otherwise. */
  readonly schema: z.ZodType
  /**
   * Who checks it with this schema. `resource`: the resource does, because library calls reach it too; the handler passes
   * the body on unchecked. Default: `server`.
   */
  readonly readBy?: 'server' | 'resource'
  /** The largest body. A larger one gets 413 before it is parsed. Default: `bodyLimits.json`. */
  readonly maxBytes?: (typeof bodyLimits)[keyof typeof bodyLimits]
  /** How the thread parses JSON of more than 1 MiB. Without it, the handler gets a `LongBody`. */
  readonly long?: LongBodyKind
  /** Whether a request without a body counts as `{}`. */
  readonly optional?: boolean
  /** The only media type, taken as bytes: a `Buffer`. */
  readonly bytesType?: string
  /** Media types taken as text beside JSON. */
  readonly textTypes?: readonly string[]
  /**
   * Whether the body may be a form: `multipart/form-data` or urlencoded. `only`: and no JSON. The schema is that of its
   * texts by name; with `readBy: 'resource'`, the handler gets a `FormBody`.
   */
  readonly forms?: 'also' | 'only'
  /** Whether the body is read as JSON whatever its media type says, for clients that send none or a form's. */
  readonly anyType?: boolean
}

/** How large the bodies of requests may be, in bytes. */
export const bodyLimits = {
  /** Of sign-in, which needs no key. */
  signIn: 4096,
  /** Of a few members. */
  small: 65_536,
  /** Of other JSON. */
  json: 1_048_576,
  /** Of JSON with the bodies of a mail in it. */
  content: 5_242_880,
  /** Of sends, which may carry attachments, and of imports. */
  large: 52_428_800,
} as const

/** The answer of a route that succeeded, for the document; the router reads only `status`. */
export interface RouteSuccess {
  /** Default: 200. */
  readonly status?: number
  /** The JSON body; absent for bytes. */
  readonly schema?: z.ZodType
  /** Media type of a body that is not JSON. */
  readonly type?: string
  /** Further media types of it, where the client chooses; only for the document. Default: none. */
  readonly alsoTypes?: readonly string[]
  readonly description?: string
  /** Other statuses with the same body. */
  readonly alsoStatus?: readonly number[]
}

/** The input of a handler; everything in it is read and checked. */
export interface RouteContext<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly headers: Pick<Headers, 'get'>
  /** Whether the caller is on this machine: in process, or under a loopback name on a listener bound to loopback. */
  isLocal(): boolean
  /** Whether the caller has what this takes, beyond what the route needs. */
  may(need: Need): boolean
  /** Whether an address in a mail may have caused the request; see `guard.ts`. */
  mayComeFromMail(): boolean
  /** Whether the caller's browser came over HTTPS. */
  isSecure(): boolean
  /** Whether only the headers are requested. */
  readonly isHead: boolean
  /** The caller's IP address; `127.0.0.1` in process. */
  ip(): string
  /** Aborted when the connection of the caller is closed. */
  signal(): AbortSignal
  /** Adds warnings to the entry of this request in the request log. */
  warn(warnings: readonly string[]): void
}
