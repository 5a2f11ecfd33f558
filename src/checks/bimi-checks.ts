import { quote } from '../core/quote.ts'
import { fieldOf } from '../core/header-fields.ts'
import { readBeginning } from '../core/read-beginning.ts'
import { guardedRequest, urlProblem } from '../net/guarded-request.ts'
import type { Zone } from '../domains/zone.ts'
import { firstDomain } from './address-domains.ts'
import { bimiLogoFaults, maxLogoBytes } from './bimi-logo.ts'
import { readLength, shownUrlLength } from './lengths.ts'
import type { AskInput, CheckedMail, CheckRow, FoundPlace } from './check.ts'

/** Checks of the BIMI record and, on request, of the logo that it names. */
export const bimiChecks: readonly CheckRow[] = [
  {
    id: 'bimi-record',
    title: 'The BIMI record names a logo',
    headline: 'The BIMI record is not valid',
    severity: 'warning',
    about:
      'The BIMI record of the domain in From, where the zone file of `--zone` has one: its form, and that the logo is an ' +
      'SVG at an https address. `bimi-logo` looks at the logo itself.',
    fix: 'Publish `v=BIMI1; l=https://…/logo.svg; a=https://…/certificate.pem`.',
    link: 'https://datatracker.ietf.org/doc/draft-brand-indicators-for-message-identification/',
    run({ mail, dns: { zone } }) {
      const published = findBimi(mail, zone)
      return published && recordFaults(published).map((message) => ({ message, place: published.place }))
    },
  },
  {
    id: 'bimi-logo',
    title: 'The BIMI logo is one that receivers show',
    headline: 'Receivers do not show the BIMI logo',
    severity: 'warning',
    about:
      'On request (`--live`, `?live=true`) the logo of the BIMI record is fetched, where `allowOutgoing` names its host: an ' +
      'SVG Tiny Portable/Secure of at most 32 KB, square and with a title, without scripts, animations, pictures and ' +
      'references to other files.',
    fix: 'Export the logo as SVG Tiny 1.2, and set `baseProfile="tiny-ps"`, `version="1.2"`, a title and a square viewBox.',
    link: 'https://bimigroup.org/solving-svg-issues/',
    async ask(asked) {
      if (!asked.live) return null
      const published = findBimi(asked.mail, asked.zone)
      const url = published && logoUrl(logoOf(published.records[0] ?? '') ?? '')
      if (!published || !url) return null
      const shown = url.href.slice(0, shownUrlLength)
      const problem = urlProblem(url.href, asked.services.liveProblemOf)
      if (problem !== null) return { skipped: `The logo ${shown} was not fetched: ${problem}.` }
      const faults = await fetchedFaults(url, asked)
      return faults.map((message) => ({ message, place: published.place }))
    },
  },
]

interface PublishedBimi {
  name: string
  records: readonly string[]
  place: FoundPlace
}

/**
 * The BIMI records for a mail. Null if the zone does not have the domain, or if there is no record and the mail does not name
 * one in BIMI-Selector.
 */
function findBimi(mail: CheckedMail, zone: Zone): PublishedBimi | null {
  const domain = firstDomain(mail, 'from')
  if (mail.size_bytes === 0 || domain === null) return null
  const field = (fieldOf(mail.headers, 'bimi-selector') ?? '').slice(0, readLength)
  const selector = /;\s*s\s*=\s*([\w-]+)/i.exec(field)?.[1]
  const name = `${selector ?? 'default'}._bimi.${domain}`
  const records = zone.find(name, 'TXT')
  if (records === null || (records.length === 0 && selector === undefined)) return null
  return { name, records, place: { header: selector === undefined ? 'From' : 'BIMI-Selector' } }
}

function recordFaults({ name, records }: PublishedBimi): string[] {
  if (records.length === 0) return [`The mail chooses the BIMI record ${name}, which does not exist.`]
  if (records.length > 1) return [`There are ${records.length} TXT records at ${name}. Only one is allowed.`]
  const [record = ''] = records
  if (!/^\s*v\s*=\s*BIMI1\s*;/i.test(record)) return [`The record ${name} does not begin with v=BIMI1.`]
  const logo = logoOf(record)
  // An empty `l=` declares that the domain has no logo.
  if (logo === '') return []
  if (logo === undefined) return [`The record ${name} names no logo (l=).`]
  const url = logoUrl(logo)
  return url?.protocol === 'https:' && /\.svgz?$/i.test(url.pathname)
    ? []
    : [`The logo of ${name} is not an SVG at an https address: ${logo.slice(0, shownUrlLength)}.`]
}

function logoOf(record: string): string | undefined {
  return /;\s*l\s*=\s*([^;\s]*)/i.exec(record)?.[1]
}

/** Null if the text is not an http(s) URL. */
const logoUrl = (logo: string): URL | null =>
  /^https?:/i.test(logo) && URL.canParse(logo) ? new URL(logo) : null

async function fetchedFaults(url: URL, { services, signal }: AskInput): Promise<string[]> {
  const headers = { 'user-agent': 'localpost', accept: 'image/svg+xml', 'accept-encoding': 'identity' }
  const options = { method: 'GET', headers, signal, problemOf: services.liveProblemOf } as const
  const answer = await guardedRequest(url, options)
  const shown = url.href.slice(0, shownUrlLength)
  if (answer.statusCode !== 200) {
    answer.destroy()
    return [`The logo ${shown} answers ${answer.statusCode}, and receivers need 200.`]
  }
  const bytes = await readBeginning(answer, maxLogoBytes + 1)
  const type = answer.headers['content-type'] ?? ''
  const typeFaults = /^image\/svg\+xml\s*(?:;|$)/i.test(type)
    ? []
    : [`The logo ${shown} is served as ${quote(type)}, not as image/svg+xml.`]
  return [...typeFaults, ...(await bimiLogoFaults(bytes))]
}
