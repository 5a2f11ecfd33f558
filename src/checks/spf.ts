import type { Zone } from '../domains/zone.ts'
import { isWithin, parseAddress, type Address } from '../net/addresses.ts'
import {
  expandMacros,
  ipRange,
  parseSpf,
  type Mechanism,
  type SpfSender,
  type SpfTerms,
} from './spf-terms.ts'

/** The result of SPF for a sender; `unknown` if it needs a record that is not known here. */
export type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'permerror' | 'unknown'

/** A result with its reason. */
export interface SpfOutcome {
  result: SpfResult
  /** As the end of a sentence; null if the result is enough. */
  reason: string | null
}

/** Decides by SPF whether an address may send for a domain, using only known records. @see RFC 7208 */
export function evaluateSpf(domain: string, sender: SpfSender, zone: Zone): SpfOutcome {
  return evaluate(domain, { sender, zone, lookups: 0, voids: 0 })
}

/**
 * Reads the whole SPF record of a domain with everything that it includes, even parts that an evaluation would not
 * reach.
 *
 * @returns The maximum number of look-ups that it needs, its faults as sentences, and the domains whose records it
 * needs but are not known here.
 */
export function readSpf(
  domain: string,
  zone: Zone,
): { lookups: number; faults: string[]; unknown: string[] } {
  const seen = new Set<string>()
  const read = { lookups: 0, faults: [] as string[], unknown: [] as string[] }
  const visit = (name: string): void => {
    // A record that is included twice costs its look-ups twice, but has its faults once. More is a fault anyway.
    const isNew = !seen.has(name)
    if (read.lookups > maxCounted) return
    seen.add(name)
    const terms = spfRecordOf(name, zone)
    if (!('mechanisms' in terms)) {
      if (terms.result === 'unknown') read.unknown.push(name)
      else if (isNew)
        read.faults.push(`The SPF record of ${name} is broken: ${terms.reason ?? 'there is none'}.`)
      return
    }
    for (const { name: mechanism, value } of terms.mechanisms) {
      if (mechanism === 'all') break
      if (!needsLookup.has(mechanism)) continue
      read.lookups++
      if (mechanism === 'include' && !value.includes('%')) visit(value.toLowerCase())
    }
    const hasAll = terms.mechanisms.some(({ name: mechanism }) => mechanism === 'all')
    if (hasAll || terms.redirect === null) return
    read.lookups++
    if (!terms.redirect.includes('%')) visit(terms.redirect.toLowerCase())
  }
  visit(domain)
  return read
}

/** Its counts change while it runs. */
interface Evaluation {
  sender: SpfSender
  zone: Zone
  lookups: number
  /** Look-ups that found nothing. */
  voids: number
}

function evaluate(domain: string, evaluation: Evaluation): SpfOutcome {
  const terms = spfRecordOf(domain, evaluation.zone)
  if (!('mechanisms' in terms)) return terms
  for (const mechanism of terms.mechanisms) {
    const matched = matches(mechanism, domain, evaluation)
    if (typeof matched === 'object') return matched
    if (matched) return { result: results[mechanism.qualifier], reason: null }
  }
  if (terms.redirect === null) return { result: 'neutral', reason: null }
  const target = expandMacros(terms.redirect, domain, evaluation.sender)
  if (target === null) return permerror('its redirect has a fault in a macro')
  const limited = countTerm(evaluation)
  if (limited) return limited
  const outcome = evaluate(target, evaluation)
  return outcome.result === 'none' ? permerror(`${target} has no SPF record`) : outcome
}

/** The only SPF record of a domain, read. */
function spfRecordOf(domain: string, zone: Zone): SpfTerms | SpfOutcome {
  const found = zone.find(domain, 'TXT')
  if (found === null) return { result: 'unknown', reason: `the records of ${domain} are not known here` }
  const records = found.filter((text) => /^v=spf1(?: |$)/i.test(text))
  const [record] = records
  if (record === undefined) return { result: 'none', reason: null }
  if (records.length > 1) return permerror(`${domain} has ${records.length} SPF records, and may have one`)
  const terms = parseSpf(record)
  return typeof terms === 'string' ? permerror(terms) : terms
}

/**
 * Whether a mechanism matches; an outcome ends the evaluation. `all`, `ip4` and `ip6` come first, because they need no
 * look-up, and so do not count for the limit.
 *
 * @see RFC 7208 sections 4.6.4 and 5
 */
function matches(mechanism: Mechanism, domain: string, evaluation: Evaluation): boolean | SpfOutcome {
  const { name, value } = mechanism
  const { sender } = evaluation
  const address = parseAddress(sender.ip)
  if (name === 'all') return true
  if (!address) return false
  if (name === 'ip4' || name === 'ip6') {
    const range = ipRange(name, value)
    return range !== null && isWithin(address, range)
  }
  const limited = countTerm(evaluation)
  if (limited) return limited
  // `ptr`: receivers are advised not to use it, and reverse names are not known here.
  if (name === 'ptr') return false
  const target = value === '' ? domain : expandMacros(value, domain, sender)
  if (target === null) return permerror(`${JSON.stringify(value)} has a fault in a macro`)
  if (name === 'include') {
    const { result, reason } = evaluate(target, evaluation)
    if (result === 'none') return permerror(`${target} is included and has no SPF record`)
    return result === 'permerror' || result === 'unknown' ? { result, reason } : result === 'pass'
  }
  return hasMatchingHost(mechanism, { target, address }, evaluation)
}

/** Whether a host that `a`, `mx` or `exists` names has the address; for `exists`, whether it has any. */
function hasMatchingHost(
  mechanism: Mechanism,
  { target, address }: { target: string; address: Address },
  evaluation: Evaluation,
): boolean | SpfOutcome {
  const { name } = mechanism
  const { zone } = evaluation
  const family = address.kind() === 'ipv6' && name !== 'exists' ? 'AAAA' : 'A'
  const hosts = name === 'mx' ? findCountingVoids(target, 'MX', evaluation) : [target]
  if (!Array.isArray(hosts)) return hosts
  if (hosts.length > maxMailServers)
    return permerror(`${target} has more than ${maxMailServers} mail servers`)
  for (const host of hosts) {
    // The addresses of mail servers have the limit above only: they count neither as look-ups nor as void ones.
    const found =
      name === 'mx' ? (zone.find(host, family) ?? unknown(host)) : findCountingVoids(host, family, evaluation)
    if (!Array.isArray(found)) return found
    if (name === 'exists' && found.length > 0) return true
    if (found.some((one) => hostCovers(one, address, mechanism))) return true
  }
  return false
}

/** Finds records for a term, and counts a name without any as a void look-up. */
function findCountingVoids(
  name: string,
  type: 'A' | 'AAAA' | 'MX',
  evaluation: Evaluation,
): string[] | SpfOutcome {
  const found = evaluation.zone.find(name, type) ?? unknown(name)
  if (Array.isArray(found) && found.length === 0 && ++evaluation.voids > maxVoids)
    return permerror(`more than ${maxVoids} of its terms name hosts that do not exist`)
  return found
}

function hostCovers(written: string, address: Address, { bits }: Mechanism): boolean {
  const start = parseAddress(written)
  return start !== null && isWithin(address, [start, start.kind() === 'ipv4' ? bits[0] : bits[1]])
}

/** Counts a term that needs a look-up; its outcome, if that is one too many, ends the evaluation. */
function countTerm(evaluation: Evaluation): SpfOutcome | null {
  return ++evaluation.lookups > maxLookups ? permerror(`it needs more than ${maxLookups} DNS look-ups`) : null
}

function permerror(reason: string): SpfOutcome {
  return { result: 'permerror', reason }
}

function unknown(name: string): SpfOutcome {
  return { result: 'unknown', reason: `the records of ${name} are not known here` }
}

const results = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const
const needsLookup: ReadonlySet<string> = new Set(['include', 'a', 'mx', 'ptr', 'exists'])
const maxVoids = 2
const maxCounted = 100
/** Receivers stop after so many terms that need a look-up. */
export const maxLookups = 10
/** A separate limit of one `mx` term (RFC 7208 section 4.6.4). */
const maxMailServers = 10
