import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

/** The kinds of id, so that a cursor of another list is recognised. Ids are stored: never change or reuse a prefix. */
export type IdPrefix =
  | 'acc' // Accounts.
  | 'bc' // Broadcasts.
  | 'em' // Emails, sent or received.
  | 'dom' // Domains.
  | 'aud' // Audiences.
  | 'con' // Contacts.
  | 'key' // API keys.
  | 'wh' // Webhooks.
  | 'whd' // Deliveries of webhooks.
  | 'evt' // Events that webhooks are told of.
  | 'tv' // Versions of templates.
  | 'tc' // Colours of tags.
  | 'req' // Requests in the log.
  | 'ses' // SMTP sessions.
  | 'blk' // Bulk changes of the inbox.
  | 'sch' // Scheduled emails.
  | 'rm' // Removals that can be undone.

/** Makes ids that sort by time: `em_` and 22 characters, later ids always greater, even when the clock falls back. */
export interface Ids {
  next(prefix: IdPrefix): string
  /** Makes every later id greater than this one, whatever the clock says. Ids of another form are ignored. */
  raiseTo(id: string): void
}

/** Whether a text has the form of the ids of this kind. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && bodyForm.test(text.slice(prefix.length + 1))
}

/** Sorts before every id of its kind. */
export function lowestId(prefix: IdPrefix): string {
  return `${prefix}_${'0'.repeat(22)}`
}

/** When an id was made: Unix time in milliseconds, by the clock of its instance. */
export function timeOfId(id: string): number {
  return momentOf(id)?.ms ?? 0
}

/** @param random  Gives random bytes for a kind of ids, many at a time. Default: the system's. */
export function createIds(clock: Clock, random: (prefix: IdPrefix) => RandomBytes = () => randomBytes): Ids {
  const kinds = new Map<IdPrefix, Kind>()
  let floor: Moment = { ms: 0, count: -1 }

  // Each kind has its own counter, so that ids do not depend on what else happens in the same millisecond.
  function kindOf(prefix: IdPrefix): Kind {
    const known = kinds.get(prefix)
    if (known) return known
    const kind = { last: floor, tail: tails(random(prefix)) }
    kinds.set(prefix, kind)
    return kind
  }

  return {
    next(prefix) {
      const kind = kindOf(prefix)
      const last = isLater(floor, kind.last) ? floor : kind.last
      const now = clock.now()
      if (now > last.ms) kind.last = { ms: now, count: 0 }
      else if (last.count < maxCounter) kind.last = { ms: last.ms, count: last.count + 1 }
      else kind.last = { ms: last.ms + 1, count: 0 }
      const { ms, count } = kind.last
      return `${prefix}_${encode(ms, timeLength)}${encode(count, counterLength)}${kind.tail()}`
    },
    raiseTo(id) {
      const moment = momentOf(id)
      if (moment && isLater(moment, floor)) floor = moment
    },
  }
}

type RandomBytes = (n: number) => Uint8Array

/** The counter of one kind of ids, and its random endings. */
interface Kind {
  last: Moment
  readonly tail: () => string
}

/** A millisecond, and a position within it. */
interface Moment {
  readonly ms: number
  readonly count: number
}

/** The time in an id; null if it has another form. */
function momentOf(id: string): Moment | null {
  const body = id.slice(id.indexOf('_') + 1)
  if (!bodyForm.test(body)) return null
  const counterEnd = timeLength + counterLength
  return { ms: decode(body.slice(0, timeLength)), count: decode(body.slice(timeLength, counterEnd)) }
}

const isLater = (one: Moment, other: Moment): boolean =>
  one.ms > other.ms || (one.ms === other.ms && one.count > other.count)

// Crockford's base 32 in lower case: digits sort before letters, and no letter is mistaken for a digit.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeLength = 10
const counterLength = 4
const tailLength = 8
const maxCounter = 32 ** counterLength - 1
const bodyForm = /^[0-9a-hjkmnp-tv-z]{22}$/

function encode(value: number, length: number): string {
  let text = ''
  for (let left = value, i = 0; i < length; i++, left = Math.floor(left / 32))
    text = alphabet[left % 32] + text
  return text
}

function decode(text: string): number {
  let value = 0
  for (const char of text) value = value * 32 + alphabet.indexOf(char)
  return value
}

// One call for many ids, because asking the system for eight bytes costs as much as for a thousand: the place `random
// bytes of ids` in bench/places.mjs.
function tails(random: RandomBytes): () => string {
  let pool: Uint8Array = new Uint8Array()
  let taken = 0
  return () => {
    if (taken + tailLength > pool.length) {
      pool = random(poolBytes)
      taken = 0
    }
    let text = ''
    for (const end = taken + tailLength; taken < end; taken++) text += alphabet[(pool[taken] ?? 0) & 31]
    return text
  }
}

// A multiple of the bytes of an id, so that a seed gives the same ids as with a call for each id.
const poolBytes = 128 * tailLength
