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
  const macOf = (payload: string): string =>
    createHmac('sha256', secret).update(payload).digest().subarray(0, 16).toString('base64url')

  return {
    make(token) {
      const payload = Buffer.from(JSON.stringify(toPayload(token))).toString('base64url')
      return `${payload}.${macOf(payload)}`
    },
    read(kind, text) {
      const dot = text.length > maxLength ? -1 : text.indexOf('.')
      if (dot < 0) return null
      const payload = text.slice(0, dot)
      // The texts are compared, not the bytes: base64url has several spellings of the same bytes.
      const [given, wanted] = [Buffer.from(text.slice(dot + 1)), Buffer.from(macOf(payload))]
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
type MemberOf<K extends Kind> = Exclude<keyof Extract<TrackingToken, { kind: K }>, 'kind' | 'expires'>

/**
 * How tokens are written: `[version, letter, first, second, third, expires]`, with `""` for no member. Sent mail has
 * this form.
 */
const forms: { readonly [K in Kind]: { letter: string; places: Readonly<Record<MemberOf<K>, Place>> } } = {
  open: { letter: 'o', places: { email_id: 0, recipient: 1 } },
  click: { letter: 'c', places: { email_id: 0, recipient: 1, link: 2 } },
  consent: { letter: 'r', places: { email_id: 0 } },
  unsubscribe: { letter: 'u', places: { audience_id: 0, contact_id: 1, broadcast_id: 2 } },
  webhook: { letter: 'w', places: { webhook_id: 0 } },
}
const allPlaces = [0, 1, 2] as const
type Place = (typeof allPlaces)[number]

function toPayload(token: TrackingToken): unknown[] {
  const { letter, places } = forms[token.kind]
  const members: Readonly<Record<string, unknown>> = token
  const values: unknown[] = allPlaces.map(() => '')
  for (const [name, place] of Object.entries(places)) values[place] = members[name]
  return [version, letter, ...values, ...(token.expires === undefined ? [] : [token.expires])]
}

// The signature is valid, but a later version may use another form.
function fromPayload(payload: unknown): TrackingToken | null {
  if (!Array.isArray(payload) || payload[0] !== version) return null
  const [, letter, ...values] = payload as unknown[]
  const found = Object.entries(forms).find(([, form]) => form.letter === letter)
  if (!found) return null
  const [kind, { places }] = found
  const expires = values[allPlaces.length]
  return {
    kind,
    ...Object.fromEntries(Object.entries(places).map(([name, place]) => [name, values[place]])),
    ...(expires !== undefined && { expires }),
  } as TrackingToken
}

function isOfKind<K extends Kind>(token: TrackingToken, kind: K): token is TrackingToken & { kind: K } {
  return token.kind === kind
}
