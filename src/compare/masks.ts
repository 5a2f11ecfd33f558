import { createHash } from 'node:crypto'
import { isRegExp } from 'node:util/types'
import { escapedPattern } from '../core/text.ts'
import { dateMasks } from './dates.ts'

/** Replaces the parts of a text that differ each time the same mail is sent. */
export type Mask = (text: string) => string

/**
 * A function that masks ids, dates and times, tokens, one-time codes, content ids, ports of this machine and the parts
 * of addresses that carry any of these. Masking a masked text changes nothing.
 *
 * @param codes  The one-time codes of the mail; see `mail.codes`.
 * @param own  Texts and patterns that the user wants masked too.
 */
export function createMask(codes: readonly string[] = [], own: readonly (string | RegExp)[] = []): Mask {
  const patterns = own.map((one) => (isRegExp(one) ? everywhere(one) : new RegExp(escapedPattern(one), 'g')))
  const codeForms = codes.slice(0, maxCodes).map(codeForm)
  // Own masks first, and URLs before dates, so that a date in a path does not split it.
  return (text) => {
    let masked = text
    for (const pattern of patterns) masked = masked.replace(pattern, '[masked]')
    masked = masked
      .replace(dataUri, (_, type: string, content: string) => `data:${type};base64,[${shortDigest(content)}]`)
      .replace(/\bcid:[^\s"'<>()[\]]{1,250}/gi, 'cid:[content-id]')
    for (const form of codeForms) masked = masked.replace(form, '[code]')
    masked = masked.replace(webUrl, maskUrl).replace(uuid, '[uuid]')
    for (const [pattern, mask] of dateMasks()) masked = masked.replace(pattern, mask)
    return masked
      .replace(timestamp, '[timestamp]')
      .replace(longWord, (one) => (isRandomWord(one) ? '[token]' : one))
  }
}

/** Subjects with the same form are those of the same mail sent again: numbers, dates and codes in them may differ. */
export function subjectForm(subject: string): string {
  return createMask()(subject.slice(0, 1000)).replace(/\d{4,}/g, '[number]')
}

const maxCodes = 50
// An image within the HTML is replaced by the digest of its bytes, so that another image is a difference.
const dataUri = /\bdata:([\w.+/-]{1,100});base64,([A-Za-z0-9+/=\s]{32,})/gi
const webUrl = /\bhttps?:\/\/[^\s"'<>]{1,8000}/gi
const uuid = /(?<![\da-z])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\da-z])/gi
// Unix time in seconds or milliseconds, from 2017 to 2033.
const timestamp = /(?<![\d.,])1[5-9]\d{8}(?:\d{3})?(?![\d,]|\.\d)/g
const longWord = /(?<![\w.~-])[\w~-]{16,}(?:\.[\w~-]{10,}){0,3}/g

/** Masks the random parts of a URL. Names of parameters and ordinary paths stay. */
function maskUrl(url: string): string {
  const [, origin = '', path = '', query = '', fragment = ''] =
    /^([^/?#]*\/\/[^/?#]*)([^?#]*)(\??[^#]*)(.*)$/s.exec(url) ?? []
  return [
    origin.replace(localPort, '$1:[port]'),
    path.split('/').map(maskSegment).join('/'),
    query.replace(parameter, maskParameter),
    fragment.replace(parameter, maskParameter),
  ].join('')
}

// Apps under test listen on any free port.
const localPort = /^(https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|[\w.-]+\.localhost)):\d+$/i
const parameter = /([?&#;])([^=&#;]{0,100})=([^&#;]*)/g
/** Parameters whose value is new each time, however short it is. */
const changingParameter =
  /(?:^|[_-])(?:token|code|otp|pin|sig|signature|hmac|hash|nonce|state|jwt|ticket|expires?|exp|ts|timestamp|time|key|secret|auth|session|sid)$/i

function maskParameter(_: string, mark: string, name: string, value: string): string {
  if (value === '' || /^(?:\[|%5B)\w+(?:\]|%5D)$/i.test(value)) return `${mark}${name}=${value}`
  return `${mark}${name}=${changingParameter.test(name) ? '[token]' : value.split(encodedMark).map(maskSegment).join('')}`
}

// Separates the parts of a URL that is encoded in a parameter of another URL. Each part is masked on its own.
const encodedMark = /(%(?:2F|3F|26|3D|3A|23)|[/:?@])/i

function maskSegment(segment: string): string {
  if (/^\d{6,}$/.test(segment)) return '[number]'
  if (/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(segment)) return '[uuid]'
  const file = /^(.*)(\.(?:png|jpe?g|gif|webp|svg|css|html?|pdf|ico|ics|woff2?))$/i.exec(segment)
  if (file) return `${(file[1] ?? '').split('.').map(maskStem).join('.')}${file[2] ?? ''}`
  return isRandomWord(segment.replaceAll(/%[\da-f]{2}/gi, '_')) ? '[token]' : segment
}

// The build of a web app adds a short hash to the names of files: `logo.3f2a9c1b.png`.
const maskStem = (stem: string): string =>
  isRandomWord(stem) || /^(?=.*\d)(?=.*[a-f])[\da-f]{8,}$/.test(stem) ? '[token]' : stem

/** A code as it may be written: with a space or a dash between two characters. */
function codeForm(code: string): RegExp {
  const chars = Array.from(code, escapedPattern)
  return new RegExp(`(?<![\\p{L}\\p{N}])${chars.join('[ -]?')}(?![\\p{L}\\p{N}])`, 'gu')
}

const shortDigest = (content: string): string =>
  `sha256 ${createHash('sha256').update(content).digest('hex').slice(0, 12)}`

const everywhere = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join(''))

/**
 * Whether a word is a random identifier: a token, a hash, an id. Ordinary words, file names and slugs such as
 * `confirm-your-address` or `unsubscribeFromThisList` are not.
 *
 * @param word  Letters, digits and `_`, `-`, `.`, `~`.
 */
function isRandomWord(word: string): boolean {
  if (word.length < shortest) return false
  const pieces = word.split(/[-_.~]+/)
  return !(pieces.every((piece) => plain.test(piece)) && pieces.some((piece) => realWord.test(piece)))
}

/** Shorter identifiers cannot be distinguished from words. */
const shortest = 16
// Words, camelCase, numbers, sizes as `600x400`, and names with a number as `png24` or `v2`.
const plain = /^(?:[a-z]*(?:[A-Z][a-z]{2,})*|[A-Z]+|\d{1,4}|\d{1,4}x\d{1,4}|[a-z]+\d{1,2})$/
const realWord = /^[A-Za-z]{3,}$/
