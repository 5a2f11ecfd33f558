import { codeOf } from '../core/errors.ts'
import type { DnsLookup } from './dns-lookup.ts'
import { absoluteName } from './dns-records.ts'
import type { DnsRecord, RecordCheck, VerificationErrorType, VerificationInfo } from './types.ts'
import { recordMismatch } from './record-mismatch.ts'
import { zoneOf } from './names.ts'

/** Looks up all records of a domain at the same time and checks each. Never rejects. */
export function checkRecords(
  domainName: string,
  records: readonly DnsRecord[],
  lookup: DnsLookup,
): Promise<RecordCheck[]> {
  return Promise.all(records.map((record) => checkRecord(domainName, record, lookup)))
}

/** Why a domain is not verified: the fault of the first required record that has one; undefined if none has. */
export function firstFault(checks: readonly RecordCheck[]): VerificationErrorType | undefined {
  return checks.find(({ required, error_type }) => required && error_type !== null)?.error_type ?? undefined
}

/** The start of authority of a domain's zone; undefined if it cannot be found, which is no error. */
export async function findSoa(
  domainName: string,
  lookup: DnsLookup,
): Promise<VerificationInfo['soa_record']> {
  // A subdomain has a start of authority only if it is its own zone. Both are looked up at the same time, so that a
  // server that does not answer costs one timeout.
  const names = [...new Set([domainName, zoneOf(domainName) ?? domainName])]
  const answers = await Promise.allSettled(names.map((name) => lookup.soa(name)))
  const found = answers.find((answer) => answer.status === 'fulfilled')?.value
  return (
    found && {
      primary_name_server: found.nsname,
      admin_email: soaMailbox(found.hostmaster),
      serial_number: found.serial,
    }
  )
}

async function checkRecord(domainName: string, record: DnsRecord, lookup: DnsLookup): Promise<RecordCheck> {
  const name = absoluteName(record, domainName)
  const expected = record.type === 'MX' ? `${record.priority} ${record.value}` : record.value
  const about = { type: record.type, name, for: record.for, required: record.required, expected }
  try {
    const found = await (record.type === 'MX' ? findMx(name, lookup) : lookup.txt(name))
    const fault = recordMismatch(record, found)
    return fault === null
      ? { ...about, found, verdict: 'ok', error_type: null, message: null }
      : { ...about, found, verdict: 'wrong', error_type: 'INVALID_VALUE', message: fault }
  } catch (error) {
    return { ...about, found: [], ...failure(error, record.type) }
  }
}

async function findMx(name: string, lookup: DnsLookup): Promise<string[]> {
  const found = await lookup.mx(name)
  return found
    .toSorted((a, b) => a.priority - b.priority)
    .map(({ priority, exchange }) => `${priority} ${exchange}`)
}

type Failure = Pick<RecordCheck, 'verdict' | 'error_type' | 'message'>

function failure(error: unknown, type: string): Failure {
  const code = codeOf(error)
  const missing = { verdict: 'missing' } as const
  const unknown = { verdict: 'error', error_type: 'DNS_SERVER_ERROR' } as const
  if (code === 'ENOTFOUND')
    return { ...missing, error_type: 'HOST_NOT_FOUND', message: 'DNS knows no such name: publish the record' }
  if (code === 'ENODATA')
    return { ...missing, error_type: 'TYPE_NOT_FOUND', message: `the name has no ${type} record: publish it` }
  if (code === 'ETIMEOUT' || code === 'ECANCELLED')
    return { ...unknown, message: 'no DNS server answered in time: try again' }
  if (serverFaults.has(code)) return { ...unknown, message: `the DNS server failed with ${code}: try again` }
  return { ...unknown, error_type: 'SERVICE_ERROR', message: `the look-up itself failed: ${String(error)}` }
}

const serverFaults = new Set(['ESERVFAIL', 'EREFUSED', 'ECONNREFUSED', 'EFORMERR', 'ENOTIMP', 'EBADRESP'])

// The mailbox of a zone is written as a name: its first unescaped dot is the @.
function soaMailbox(hostmaster: string): string {
  const [local = '', ...domain] = hostmaster.split(/(?<!\\)\./)
  return `${local.replaceAll('\\.', '.')}@${domain.join('.')}`
}
