import { invalidOption, type LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { zoneOf } from './names.ts'

/** A DNS record that the checks of mail read. */
export interface ZoneRecord {
  /** Absolute, in lower case, without a dot at the end. */
  name: string
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT'
  /** The strings of a TXT record joined; the host of an MX record. */
  value: string
}

/** Records of some domains. */
export interface ZoneRecords {
  records: readonly ZoneRecord[]
  /** The registrable domains of which every record is known. */
  complete: readonly string[]
}

/** Answers like a DNS server, only from known records. */
export interface Zone {
  /** @returns Null if the records of the name are not known here. */
  find(name: string, type: 'A' | 'AAAA' | 'MX' | 'TXT'): string[] | null
}

export function createZone({ records, complete }: ZoneRecords): Zone {
  const byName = new Map<string, string[]>()
  for (const { name, type, value } of records) {
    const key = `${type} ${name}`
    byName.set(key, [...(byName.get(key) ?? []), value])
  }
  return {
    find(given, type) {
      let name = toName(given)
      for (let aliases = 0; aliases < maxAliases; aliases++) {
        const found = byName.get(`${type} ${name}`)
        if (found) return found
        const [alias] = byName.get(`CNAME ${name}`) ?? []
        if (alias === undefined) return complete.includes(zoneOf(name) ?? name) ? [] : null
        name = alias
      }
      return []
    },
  }
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
  const state = { origin: '', name: '' }
  for (const { line, startsWithName, tokens } of entriesOf(text)) {
    const [first = ''] = tokens
    const directive = first.toUpperCase()
    if (directive === '$ORIGIN') state.origin = toName(tokens[1] ?? '')
    if (first.startsWith('$')) continue
    const rest = startsWithName ? tokens.slice(1) : tokens
    if (startsWithName) state.name = absolute(first, state.origin)
    // TTL and class may be left out, and come in any order.
    while (rest[0] !== undefined && /^(?:\d+[smhdw]?|IN|CH|HS)$/i.test(rest[0])) rest.shift()
    const [written = '', ...values] = rest
    const type = types.find((one) => one === written.toUpperCase())
    if (state.name === '') throw invalidLine(line, 'the name is relative, and there is no $ORIGIN')
    if (!/^[a-z]+\d*$/i.test(written))
      throw invalidLine(line, `there is no record type in ${quote(tokens.join(' '))}`)
    if (type === undefined) continue
    records.push({ name: state.name, type, value: valueOf(type, values, state.origin) })
  }
  return { records, complete: [...new Set(records.map(({ name }) => zoneOf(name) ?? name))] }
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

function invalidLine(line: number, fault: string): LocalpostError {
  return invalidOption(`Line ${line} of the zone file: ${fault}.`)
}

const types = ['A', 'AAAA', 'CNAME', 'MX', 'TXT'] as const
const maxAliases = 8

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
    for (const [token, end] of line.matchAll(tokens)) {
      if (end !== undefined && end !== '"') throw invalidLine(at + 1, `${quote(token)} has no closing quote`)
      if (token === '(') depth++
      else if (token === ')') depth = Math.max(0, depth - 1)
      else if (!token.startsWith(';')) entry.tokens.push(unquoted(token))
    }
    open = depth > 0 ? entry : null
    if (!open && entry.tokens.length > 0) yield entry
  }
  if (open) yield open
}

// The rest of a line after a quote matches in any case: it is not tried again from each quote in it.
const tokens = /"(?:[^"\\]|\\[^])*("|\\?$)|;.*|[()]|[^\s;()"]+/g

function unquoted(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1).replace(/\\(.)/g, '$1') : token
}

/** Empty for a relative name without an origin. */
function absolute(written: string, origin: string): string {
  if (written === '@') return origin
  if (written.endsWith('.')) return toName(written)
  return origin === '' ? '' : `${toName(written)}.${origin}`
}

function toName(written: string): string {
  return written.toLowerCase().replace(/\.$/, '')
}
