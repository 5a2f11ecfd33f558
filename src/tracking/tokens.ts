import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'

/** The content of a tracking URL. */
export type TrackingToken = { /** Unix time in milliseconds; default: never. */ expires?: number } & (
  | { kind: 'open'; email_id: string; recipient: number }
  | { kind: 'click'; email_id: string; recipient: number; link: string }
  /** A reader allowed the remote content of the mail; never part of a mail. */
  | { kind: 'consent'; email_id: string }
  | { kind: 'unsubscribe'; audience_id: string; contact_id: string; broadcast_id: string }
  /** The receiver of a webhook confirms it; never part of a mail. */
  | { kind: 'webhook'; webhook_id: string }
)

/** Creates tokens for URLs, and reads the tokens that it created. */
export interface Tokens {
  /** @returns A path segment: base64url, a dot, base64url. */
  make(token: TrackingToken): string
  /** @returns null for a token that this instance did not make, that is broken, expired or of another kind. */
  read<K extends TrackingToken['kind']>(kind: K, text: string): (TrackingToken & { kind: K }) | null
}

/**
 * Tokens signed with HMAC-SHA256: a redirect only leads to addresses that this instance put into a mail, so it is not
 * an open redirect.
 *
 * @param secret  At least 32 random bytes.
 */
export function createTokens(secret: Buffer, clock: Pick<Clock, 'now'>): Tokens {
  // 128 bits of the HMAC are too many to guess, and keep the addresses short (RFC 2104, section 5).
  const codeOf = (payload: string): string =>
    createHmac('sha256', secret).update(payload).digest().subarray(0, 16).toString('base64url')

  return {
    make(token) {
      const payload = Buffer.from(JSON.stringify(toPayload(token))).toString('base64url')
      return `${payload}.${codeOf(payload)}`
    },
    read(kind, text) {
      const dot = text.length > maxLength ? -1 : text.indexOf('.')
      if (dot < 0) return null
      const payload = text.slice(0, dot)
      // The texts are compared, not the bytes: base64url has several spellings of the same bytes.
      const [given, wanted] = [Buffer.from(text.slice(dot + 1)), Buffer.from(codeOf(payload))]
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
      const token = fromPayload(JSON.parse(Buffer.from(payload, 'base64url').toString()))
      const isOver = token?.expires !== undefined && token.expires <= clock.now()
      return token && isOfKind(token, kind) && !isOver ? token : null
    },
  }
}

const version = 1
/** A longer text is no token. Node's limit for the header of a request is not much higher. */
const maxLength = 16_000
/** The longest link that fits into a token, in bytes. */
export const maxLinkBytes = 8000

type Kind = TrackingToken['kind']
type Payload = [version: number, kind: string, a: string, b: string | number, c: string, expires?: number]

const letters: Readonly<Record<Kind, string>> = {
  open: 'o',
  click: 'c',
  consent: 'r',
  unsubscribe: 'u',
  webhook: 'w',
}

function toPayload(token: TrackingToken): Payload {
  const letter = letters[token.kind]
  const expires: [number?] = token.expires === undefined ? [] : [token.expires]
  switch (token.kind) {
    case 'open':
      return [version, letter, token.email_id, token.recipient, '', ...expires]
    case 'click':
      return [version, letter, token.email_id, token.recipient, token.link, ...expires]
    case 'consent':
      return [version, letter, token.email_id, '', '', ...expires]
    case 'unsubscribe':
      return [version, letter, token.audience_id, token.contact_id, token.broadcast_id, ...expires]
    case 'webhook':
      return [version, letter, token.webhook_id, '', '', ...expires]
  }
}

// The signature is valid, but a later version may use another form.
function fromPayload(payload: unknown): TrackingToken | null {
  if (!Array.isArray(payload) || payload[0] !== version) return null
  const [, letter, a, b, c, expires] = payload as Payload
  const until = expires === undefined ? {} : { expires }
  switch (letter) {
    case 'o':
      return { kind: 'open', email_id: a, recipient: Number(b), ...until }
    case 'c':
      return { kind: 'click', email_id: a, recipient: Number(b), link: c, ...until }
    case 'r':
      return { kind: 'consent', email_id: a, ...until }
    case 'u':
      return { kind: 'unsubscribe', audience_id: a, contact_id: String(b), broadcast_id: c, ...until }
    case 'w':
      return { kind: 'webhook', webhook_id: a, ...until }
    default:
      return null
  }
}

function isOfKind<K extends Kind>(token: TrackingToken, kind: K): token is TrackingToken & { kind: K } {
  return token.kind === kind
}
