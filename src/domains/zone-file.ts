import { invalidOption, type LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { quotedString } from '../core/text.ts'
import { zoneOf } from './names.ts'
import type { DnsRecord } from './types.ts'
import { toName, type ZoneRecord, type ZoneRecords } from './zone.ts'

/** The records as a zone file, to be taken into the zone of the registrable domain. @see RFC 1035, section 5 */
export function zoneFile(domainName: string, records: readonly DnsRecord[]): string {
  const lines = records.map((record) => {
    const data =
      record.type === 'MX' ? `${record.priority} ${withDot(record.value)}` : characterStrings(record.value)
    return `${record.name} IN ${record.type} ${data} ; ${record.for}\n`
  })
  return `; Records of ${domainName}\n$ORIGIN ${withDot(zoneOf(domainName) ?? domainName)}\n$TTL 3600\n${lines.join('')}`
}

const withDot = (host: string): string => (host.endsWith('.') ? host : `${host}.`)

// One string of a TXT record holds 255 octets; readers join the strings without anything in between.
function characterStrings(value: string): string {
  const pieces = value.match(/.{1,255}/gs) ?? ['']
  return pieces.map(quotedString).join(' ')
}

/**
 * Reads a zone file: records of the types A, AAAA, CNAME, MX and TXT; others are left out. The domains of the records
 * count as complete.
 *
 * @throws invalid_option with the line for what is not a zone file.
 * @see RFC 1035 section 5.1
 */
export function parseZone(text: string): ZoneRecords {
  const records: ZoneRecord[] = []
  let origin = ''
  let name = ''
  for (const { line, startsWithName, tokens } of entriesOf(text)) {
    const [first = ''] = tokens
    const directive = first.toUpperCase()
    if (directive === '$ORIGIN') origin = toName(tokens[1] ?? '')
    if (first.startsWith('$')) continue
    const rest = startsWithName ? tokens.slice(1) : tokens
    if (startsWithName) name = absolute(first, origin)
    // TTL and class may be left out, and come in any order.
    while (rest[0] !== undefined && /^(?:\d+[smhdw]?|IN|CH|HS)$/i.test(rest[0])) rest.shift()
    const [written = '', ...values] = rest
    const type = types.find((one) => one === written.toUpperCase())
    if (name === '') throw invalidLine(line, 'the name is relative, and there is no $ORIGIN')
    if (!/^[a-z]+\d*$/i.test(written))
      throw invalidLine(line, `there is no record type in ${quote(tokens.join(' '))}`)
    if (type === undefined) continue
    records.push({ name, type, value: valueOf(type, values, origin) })
  }
  return { records, complete: [...new Set(records.map((record) => zoneOf(record.name) ?? record.name))] }
}

function valueOf(type: (typeof types)[number], values: readonly string[], origin: string): string {
  const [first = '', second = ''] = values
  switch (type) {
    case 'TXT':
      return values.join('')
    case 'A':
    case 'AAAA':
      return first
    case 'MX':
      // The first value is the preference.
      return absolute(second, origin)
    case 'CNAME':
      return absolute(first, origin)
  }
}

const invalidLine = (line: number, fault: string): LocalpostError =>
  invalidOption(`Line ${line} of the zone file: ${fault}.`)

const types = ['A', 'AAAA', 'CNAME', 'MX', 'TXT'] as const

interface ZoneEntry {
  line: number
  startsWithName: boolean
  tokens: string[]
}

/** The entries of a zone file: one per line, or over several lines in parentheses. Comments are left out. */
function* entriesOf(text: string): Generator<ZoneEntry> {
  let open: ZoneEntry | null = null
  let depth = 0
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const entry: ZoneEntry = open ?? { line: at + 1, startsWithName: /^[^\s;]/.test(line), tokens: [] }
    for (const [token, end] of line.matchAll(tokenForm)) {
      if (end !== undefined && end !== '"') throw invalidLine(at + 1, `${quote(token)} has no closing quote`)
      if (token === '(') depth++
      else if (token === ')') depth = Math.max(0, depth - 1)
      else if (!token.startsWith(';')) entry.tokens.push(unquoted(token, at + 1))
    }
    open = depth > 0 ? entry : null
    if (!open && entry.tokens.length > 0) yield entry
  }
  if (open) yield open
}

// The rest of a line after a quote matches in any case: it is not tried again from each quote in it.
const tokenForm = /"(?:[^"\\]|\\[^])*("|\\?$)|;.*|[()]|[^\s;()"]+/g

/** The text of a character string. `\DDD` is an octet in decimal, and of UTF-8 several may make one character. */
function unquoted(token: string, line: number): string {
  if (!token.startsWith('"')) return token
  return token
    .slice(1, -1)
    .replace(/((?:\\\d{3})+)|\\(.)/g, (_, written: string | undefined, character: string) => {
      if (written === undefined) return character
      const octets = written.slice(1).split('\\').map(Number)
      const wrong = octets.find((octet) => octet > 255)
      if (wrong !== undefined) throw invalidLine(line, `\\${wrong} is not an octet; it takes \\000 to \\255`)
      return Buffer.from(octets).toString()
    })
}

/** An absolute name; empty for a relative name without an origin. */
function absolute(written: string, origin: string): string {
  if (written === '@') return origin
  if (written.endsWith('.')) return toName(written)
  return origin === '' ? '' : `${toName(written)}.${origin}`
}
