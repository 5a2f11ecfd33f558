import { shownUrlLength } from './lengths.ts'
import { askLive, type LiveAnswer } from './live-links.ts'
import type { AskInput, AskingCheck, CheckResult, Found, FoundPlace } from './check.ts'

/** The check that requests links and images; it runs only on request. */
export const liveChecks: readonly AskingCheck[] = [
  {
    id: 'live-links',
    title: 'Links and images answer',
    headline: 'Links or images do not answer as they should',
    severity: 'error',
    about:
      'On request (`--live`, `?live=true`) each http address is asked once, by HEAD and then GET: errors, missing ' +
      'servers, expired certificates, images that are none, and redirects. Addresses of other machines are asked only ' +
      'where `allowOutgoing` names them, and tracked links of Localpost itself never.',
    fix: 'Open the address in a browser, and correct it in the template.',
    link: 'https://www.rfc-editor.org/rfc/rfc9110#name-status-codes',
    async ask(asked) {
      if (!asked.live) return null
      const { wanted, answers } = await askAll(asked)
      return wanted.size === 0 ? null : resultOf(answers, wanted)
    },
  },
]

/**
 * Requests each http address of a mail once, at most 100 of them, in the order in which they occur.
 *
 * @returns The answers that came before the signal.
 */
export async function askLinks(asked: LinkAsking): Promise<Map<string, LiveAnswer>> {
  const { wanted, answers } = await askAll(asked)
  // Those that answered first came first.
  return new Map(
    [...wanted.keys()].flatMap((url) => {
      const answer = answers.get(url)
      return answer ? [[url, answer]] : []
    }),
  )
}

/** What the requests of links need. */
type LinkAsking = Pick<AskInput, 'mail' | 'services' | 'facts' | 'signal'>

/** A URL of the mail, where it occurs first. */
interface FirstPlace {
  isImage: boolean
  place: FoundPlace
}

async function addressesIn({ mail, services, facts }: LinkAsking): Promise<Map<string, FirstPlace>> {
  const { links, images } = await facts()
  const wanted = new Map<string, FirstPlace>()
  const add = (written: string, first: FirstPlace): void => {
    if (!/^https?:/i.test(written) || written.length > maxLength || !URL.canParse(written)) return
    const url = new URL(written)
    // The fragment does not change the page.
    url.hash = ''
    if (url.href.startsWith(services.trackingUrl())) return
    if (!wanted.has(url.href)) wanted.set(url.href, first)
  }
  for (const { href, offset } of links) add(href, { isImage: false, place: { html: offset ?? 0 } })
  for (const { src, offset } of images) add(src, { isImage: true, place: { html: offset } })
  // Also those of the text, and those that only a browser finds in the HTML.
  for (const { href } of mail.links) add(href, { isImage: false, place: { text: null, snippet: href } })
  return wanted
}

/** Requests the first addresses of a mail. The answers are in the order in which they came. */
async function askAll(
  asked: LinkAsking,
): Promise<{ wanted: Map<string, FirstPlace>; answers: Map<string, LiveAnswer> }> {
  const { services, signal } = asked
  const wanted = await addressesIn(asked)
  const answers = new Map<string, LiveAnswer>()
  // One iterator for all workers: each takes the next URL.
  const waiting = [...wanted.keys()].slice(0, maxAsked).values()
  const work = async (): Promise<void> => {
    for (const url of waiting)
      answers.set(url, await askLive(url, { problemOf: services.liveProblemOf, signal }))
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  const failed = ends.find((end) => end.status === 'rejected')
  // Answers that came before the deadline count.
  if (failed && !signal.aborted) throw failed.reason
  return { wanted, answers }
}

function resultOf(
  answers: ReadonlyMap<string, LiveAnswer>,
  wanted: ReadonlyMap<string, FirstPlace>,
): CheckResult {
  const all = [...answers.values()]
  const refused = all.filter(isUnasked)
  const left = wanted.size - answers.size
  const clauses = [
    `${all.length - refused.length} of ${wanted.size} addresses were asked`,
    ...(refused.length > 0 ? [`${refused.length} may not be: ${reasonsOf(refused)}`] : []),
    ...(left > 0 ? [`${left} are left, for lack of time or because there are more than ${maxAsked}`] : []),
  ]
  const message = `${clauses.join('; ')}.`
  if (refused.length === answers.size) return { skipped: message }
  const found = [...answers].flatMap(([url, answer]) => {
    const { isImage = false, place } = wanted.get(url) ?? {}
    return faultsOf(url, answer, isImage).map((fault): Found => ({ ...fault, ...(place && { place }) }))
  })
  return { found, message }
}

/** Up to three different reasons. */
function reasonsOf(refused: readonly LiveAnswer[]): string {
  const reasons = [...new Set(refused.map(({ reason }) => reason))]
  return [...reasons.slice(0, 3), ...(reasons.length > 3 ? ['and others'] : [])].join(', ')
}

/** Whether no request was made at all. An address that redirects to one that may not be asked was asked itself. */
function isUnasked({ isRefused, redirects }: LiveAnswer): boolean {
  return isRefused && redirects === 0
}

function faultsOf(url: string, answer: LiveAnswer, isImage: boolean): Found[] {
  const { status, content_type, redirects, target, duration_ms, reason, isRefused } = answer
  if (isUnasked(answer)) return []
  const subject = `The ${isImage ? 'image' : 'link'} ${url.slice(0, shownUrlLength)}`
  const after = redirects === 0 ? '' : ` after ${redirects === 1 ? 'a redirect' : `${redirects} redirects`}`
  if (isRefused) {
    const message = `${subject} redirects to ${target.slice(0, shownUrlLength)}, which was not asked: ${reason}.`
    return [{ severity: 'note', message }]
  }
  if (reason !== null)
    return [{ message: `${subject} cannot be ${isImage ? 'loaded' : 'opened'}${after}: ${reason}.` }]
  if (status === null || status >= 400) {
    // Servers refuse robots with these statuses.
    const severity = status === 401 || status === 403 || status === 429 ? 'warning' : 'error'
    return [{ severity, message: `${subject} answers ${status}${after} (${duration_ms} ms).` }]
  }
  const found: Found[] = []
  if (isImage && content_type !== null && !/^(?:image\/|application\/octet-stream)/i.test(content_type))
    found.push({ message: `${subject} is ${content_type.slice(0, 100)}, not an image.` })
  if (/^https:/i.test(url) && /^http:/i.test(target))
    found.push({
      severity: 'warning',
      message: `${subject} leads to ${target.slice(0, shownUrlLength)}, which is not encrypted.`,
    })
  if (redirects >= 3)
    found.push({ severity: 'note', message: `${subject} answers${after}; each costs the reader time.` })
  if (duration_ms > slowMs) found.push({ severity: 'note', message: `${subject} took ${duration_ms} ms.` })
  return found
}

const maxAsked = 100
const maxLength = 2000
const atOnce = 8
const slowMs = 3000
