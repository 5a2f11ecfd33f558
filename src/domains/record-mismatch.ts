import { quote } from '../core/quote.ts'
import type { DnsRecord } from './types.ts'

/**
 * What is wrong with the records found under a name, as a sentence; null if they serve their purpose.
 *
 * Records count by what they mean: `v=DKIM1; k=rsa; p=…` is as good as `p=…`, a stricter DMARC policy or another
 * SPF qualifier than the one asked for is the owner's choice.
 *
 * @param found  One text per record, the strings of a TXT joined; `10 host` for an MX.
 */
export function recordMismatch(record: DnsRecord, found: readonly string[]): string | null {
  if (record.type === 'MX') return mxFault(record, found)
  switch (record.for) {
    case 'DKIM':
      return dkimFault(record.value, found)
    case 'MAIL FROM domain':
      return spfFault(record.value, found)
    case 'DMARC (highly recommended)':
      return dmarcFault(found)
  }
}

// @see RFC 6376, section 3.6.1; if a name has more than one key, a verifier may take either.
function dkimFault(expected: string, found: readonly string[]): string | null {
  const keys = found.map(parseTags).filter((tags) => tags.has('p'))
  const [key] = keys
  if (!key) return 'none of the TXT records is a DKIM key'
  if (keys.length > 1) return `there are ${keys.length} DKIM keys under this name: remove the others`
  const { v = 'DKIM1', k = 'rsa', p = '', h = 'sha256', s = '*' } = Object.fromEntries(key)
  if (v !== 'DKIM1') return `its version is ${quote(v)}, not "DKIM1"`
  if (k !== 'rsa') return `its key type is ${quote(k)}, not "rsa"`
  if (!listed(h).includes('sha256')) return `it is for the hash ${quote(h)}, and signatures have sha256`
  if (!listed(s).some((service) => service === '*' || service === 'email'))
    return `it is for the service ${quote(s)}, not for email`
  if (p.replace(/\s/g, '') === '') return 'the key is revoked: its p= is empty'
  return p.replace(/\s/g, '') === parseTags(expected).get('p')
    ? null
    : 'it is another key: publish the one expected'
}

// SES requires it to be the only MX of its name.
function mxFault({ value, priority }: DnsRecord & { type: 'MX' }, found: readonly string[]): string | null {
  if (found.length > 1) return `there are ${found.length} MX records: this must be the only one of its name`
  const [given = '', host = ''] = (found[0] ?? '').split(' ')
  if (toHost(host) !== toHost(value)) return `it points to ${quote(host)}`
  return Number(given) === priority ? null : `its priority is ${given}, not ${priority}`
}

// @see RFC 7208: terms are evaluated from left to right, and nothing after `all` is evaluated.
function spfFault(expected: string, found: readonly string[]): string | null {
  const policies = found.filter((text) => /^v=spf1(?: |$)/i.test(text))
  const [policy] = policies
  if (policy === undefined) return 'none of the TXT records is an SPF policy'
  if (policies.length > 1)
    return `there are ${policies.length} SPF policies, which makes all of them invalid: merge them`
  const wanted = expected.split(' ')[1]?.toLowerCase() ?? ''
  const terms = policy.toLowerCase().split(/ +/)
  const end = terms.findIndex((term) => /^[+?~-]?all$/.test(term))
  const counting = end < 0 ? terms : terms.slice(0, end)
  return counting.some((term) => term === wanted || term === `+${wanted}`)
    ? null
    : `it lacks ${quote(wanted)} in front of its "all"`
}

// @see RFC 7489, section 6.3
function dmarcFault(found: readonly string[]): string | null {
  const policies = found.filter((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text))
  if (policies.length === 0) return 'none of the TXT records is a DMARC policy'
  if (policies.length > 1) return `there are ${policies.length} DMARC policies, and so none counts`
  const policy = parseTags(policies[0] ?? '').get('p') ?? ''
  return /^(?:none|quarantine|reject)$/i.test(policy) ? null : 'its p= is none of none, quarantine and reject'
}

function parseTags(text: string): Map<string, string> {
  const tags = new Map<string, string>()
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    if (at > 0) tags.set(part.slice(0, at).trim(), part.slice(at + 1).trim())
  }
  return tags
}

const listed = (value: string): string[] => value.split(':').map((one) => one.trim().toLowerCase())

const toHost = (host: string): string => host.toLowerCase().replace(/\.$/, '')
