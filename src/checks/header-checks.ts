import { fieldsOf } from '../core/header-fields.ts'
import { parseAddresses } from '../mime/headers/addresses.ts'
import { readDateField } from './date-field.ts'
import { domainOf, firstDomain } from './address-domains.ts'
import { findDmarc, isAligned } from './dmarc.ts'
import { readLength } from './lengths.ts'
import { evaluateSpf } from './spf.ts'
import type { CheckedMail, CheckResult, CheckRow, Found, CheckInput } from './check.ts'

/** Checks of the header fields that mail servers of recipients look at. */
export const headerChecks: readonly CheckRow[] = [
  {
    id: 'dmarc-alignment',
    title: 'The sender is aligned for DMARC',
    headline: 'The sender is not aligned for DMARC',
    severity: 'error',
    about:
      'DMARC passes if the domain of From is that of the DKIM signature, or that of the envelope sender with SPF. It is ' +
      'compared as the DMARC record requires, or in relaxed mode where no record is known: `mail.acme.com` and ' +
      '`acme.com` belong together. SPF counts unless the known records say that a host of `--sending-host` does not pass.',
    fix: 'Sign with a key of the domain in From, or send with an envelope sender of that domain.',
    link: 'https://www.rfc-editor.org/rfc/rfc7489#section-3.1',
    run(subject) {
      const { mail } = subject
      if (isUnwritten(mail)) return null
      const place = { header: 'From' }
      const written = fieldsOf(mail.headers, 'from')[0] ?? ''
      const senders = parseAddresses(written.slice(0, readLength))
      const domains = new Set(senders.flatMap(({ address }) => domainOf(address) ?? []))
      if (domains.size === 0) return [{ message: 'From has no address, so DMARC fails.', place }]
      if (domains.size > 1)
        return [{ message: 'From has addresses of several domains: many servers reject the mail.', place }]
      const [from = ''] = domains
      return alignmentOf(from, subject)
    },
  },
  {
    id: 'message-id',
    title: 'The message has a Message-ID',
    headline: 'No valid Message-ID',
    severity: 'warning',
    about: 'Spam filters distrust messages without an id, and clients sort replies by it.',
    fix: 'Let the mail library set it, with your own domain after the @.',
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-3.6.4',
    run({ mail }) {
      if (isUnwritten(mail)) return null
      const [id] = fieldsOf(mail.headers, 'message-id')
      const place = { header: 'Message-ID' }
      if (id === undefined) return [{ message: 'The message has no Message-ID.', place }]
      const host = /^<[^<>\s@]{1,500}@([^<>\s@]{1,255})>$/.exec(id.trim())?.[1]
      if (host === undefined) return [{ message: 'The Message-ID is not of the form <name@domain>.', place }]
      return /^(?:localhost|localhost\.localdomain)$/i.test(host)
        ? [{ severity: 'note', message: 'The Message-ID names localhost instead of your domain.', place }]
        : []
    },
  },
  {
    id: 'date',
    title: 'The message has a valid date',
    headline: 'No valid date',
    severity: 'warning',
    about:
      'Spam filters distrust messages without a date, and clients sort a message with a wrong date to the wrong place.',
    fix: 'Let the mail library set it, and check the clock of the machine.',
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-3.3',
    run({ mail }) {
      if (isUnwritten(mail)) return null
      const [written] = fieldsOf(mail.headers, 'date')
      const place = { header: 'Date' }
      if (written === undefined) return [{ message: 'The message has no Date.', place }]
      const { time, faults } = readDateField(written)
      const found: Found[] = faults.map((message) => ({ message, place }))
      if (time === null || mail.received === null) return found
      const hours = (time - mail.received) / 3_600_000
      if (hours > 24) found.push({ message: 'The Date is more than a day after the arrival.', place })
      if (hours < -24 * 7)
        found.push({ severity: 'note', message: 'The Date is more than a week before the arrival.', place })
      return found
    },
  },
  {
    id: 'bcc-field',
    title: 'No Bcc field shows hidden recipients',
    headline: 'A Bcc field shows hidden recipients',
    severity: 'error',
    about: 'Hidden recipients belong in the envelope. Not every server removes the Bcc field.',
    fix: 'Name them in the envelope only, and leave the Bcc field out of the message.',
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-3.6.3',
    run({ mail }) {
      if (isUnwritten(mail)) return null
      if (fieldsOf(mail.headers, 'bcc').every((value) => value.trim() === '')) return []
      const message = 'The message has a Bcc field, which every recipient can read.'
      return [{ message, place: { header: 'Bcc' } }]
    },
  },
  {
    id: 'single-fields',
    title: 'Unique header fields occur only once',
    headline: 'Header fields occur more than once',
    severity: 'error',
    about: 'Gmail rejects messages with two From, Subject, Date or Message-ID fields.',
    fix: 'Set the field once; often a library and the app both set it.',
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-3.6',
    run({ mail }) {
      if (isUnwritten(mail)) return null
      return singleFields.flatMap((header): Found[] => {
        const count = fieldsOf(mail.headers, header).length
        return count > 1 ? [{ message: `The field ${header} occurs ${count} times.`, place: { header } }] : []
      })
    },
  },
  {
    id: 'reply-to',
    title: 'Replies go to the domain of the sender',
    headline: 'Replies go to another domain',
    severity: 'warning',
    about: 'Spam filters treat a Reply-To of a different organisation than From as a sign of fraud.',
    fix: 'Use a Reply-To of the domain in From, or leave it out.',
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-3.6.2',
    run({ mail }) {
      if (fieldsOf(mail.headers, 'reply-to').length === 0) return null
      const from = firstDomain(mail, 'from')
      const to = firstDomain(mail, 'reply-to')
      if (from === null || to === null || isAligned(from, to, 'relaxed')) return []
      const message = `From has the domain ${from}, but Reply-To has ${to}.`
      return [{ message, place: { header: 'Reply-To' } }]
    },
  },
  {
    id: 'bimi',
    title: 'The BIMI-Selector field is well formed',
    headline: 'The BIMI-Selector field is not valid',
    severity: 'warning',
    about: 'The field chooses the record with the logo.',
    fix: 'Write `BIMI-Selector: v=BIMI1; s=<selector>`.',
    link: 'https://datatracker.ietf.org/doc/draft-brand-indicators-for-message-identification/',
    run({ mail }) {
      const [value] = fieldsOf(mail.headers, 'bimi-selector')
      if (value === undefined) return null
      if (bimiSelector.test(value.slice(0, readLength))) return []
      const message = 'The BIMI-Selector field does not name a selector.'
      return [{ message, place: { header: 'BIMI-Selector' } }]
    },
  },
]

/** Whether the header is not written yet, so that nothing can be said about its fields. */
const isUnwritten = (mail: CheckedMail): boolean => mail.size_bytes === 0

const singleFields =
  'From Sender Reply-To To Cc Subject Date Message-ID In-Reply-To References MIME-Version Content-Type'.split(
    ' ',
  )

const bimiSelector = /^\s*v\s*=\s*BIMI1\s*;\s*s\s*=\s*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\s*;)?\s*$/i

/** Whether DKIM or SPF authenticates the domain of From, and if not, why. */
function alignmentOf(from: string, { mail: { dkim, envelope }, dns }: CheckInput): CheckResult {
  const place = { header: 'From' }
  const record = findDmarc(from, dns.zone)
  const modes =
    record === null || record === 'unknown' ? ({ dkim: 'relaxed', spf: 'relaxed' } as const) : record
  const signer = dkim && dkim.result !== 'fail' && dkim.result !== 'invalid' ? dkim.domain : null
  if (signer !== null && isAligned(from, signer, modes.dkim)) return []
  const returnDomain = domainOf(envelope.mail_from)
  const failing = returnDomain === null ? undefined : failingHost(returnDomain, envelope.mail_from, dns)
  if (returnDomain !== null && isAligned(from, returnDomain, modes.spf)) {
    if (failing === undefined) return []
    const message = `DMARC fails: SPF does not let ${failing} send for ${returnDomain}, and there is no DKIM signature of ${from}.`
    return [{ message, place }]
  }
  if (signer === null && returnDomain === null)
    return { skipped: 'There is neither a DKIM signature nor an envelope sender to compare with From.' }
  const clauses = [
    signer === null ? 'it has no valid DKIM signature' : `it is signed by ${signer}`,
    returnDomain === null ? 'it has no envelope sender' : `its envelope sender is of ${returnDomain}`,
  ]
  const domains = [signer, returnDomain].filter((domain) => domain !== null)
  const why = domains.some((domain) => isAligned(from, domain, 'relaxed'))
    ? `the DMARC record of ${from} requires exactly this domain`
    : `neither is of ${from}, so nothing proves that ${from} sent it`
  return [{ message: `DMARC fails: the mail is from ${from}, but ${clauses.join(' and ')}: ${why}.`, place }]
}

/** The first sending host that SPF does not allow; undefined if all are allowed, or it is not known. */
function failingHost(
  domain: string,
  sender: string,
  { zone, sendingHosts }: CheckInput['dns'],
): string | undefined {
  return sendingHosts.find((ip) => {
    const { result } = evaluateSpf(domain, { ip, sender, helo: domain }, zone)
    return result !== 'pass' && result !== 'unknown'
  })
}
