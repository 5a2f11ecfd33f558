import { STATUS_CODES } from 'node:http'
import type { LiveAnswer } from '../../checks/live-links.ts'
import type { SpamVerdict } from '../../checks/spamd.ts'
import type { CheckReport } from '../../checks/types.ts'
import { clientNames, features } from '../../client-support/features.ts'
import type { SupportedFeature } from '../../client-support/types.ts'
import { LocalpostError, messageOf } from '../../core/errors.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import type { HtmlCheck, HtmlWarning, LinkCheck, SpamCheck } from './schema.ts'

/** How mail clients support the HTML of a mail, as far as Can I email knows it. @throws validation_error without HTML */
export async function htmlCheck(
  inbox: Pick<Inbox & InboxPages, 'read' | 'clientSupport'>,
  id: string,
  signal: AbortSignal,
): Promise<HtmlCheck> {
  const { html } = await inbox.read(id, { signal })
  if (html === '') throw new LocalpostError('validation_error', 'message does not contain HTML')
  const { features: used } = await inbox.clientSupport(id, { signal })
  const Nodes = countElements(html)
  const Warnings = used.flatMap((feature) => toWarning(feature) ?? [])
  // The scores of a feature and of the whole are computed as Mailpit does.
  const worst = (of: 'Partial' | 'Unsupported'): number =>
    Math.max(0, ...Warnings.map(({ Score }) => Math.min(100, (Score[of] * Score.Found) / Math.max(1, Nodes))))
  const [Partial, Unsupported] = [worst('Partial'), worst('Unsupported')]
  const weightOf = ({ Score }: HtmlWarning): number => (Score.Unsupported + Score.Partial) * Score.Found
  return {
    Warnings: Warnings.toSorted((a, b) => weightOf(b) - weightOf(a)),
    Platforms: platforms,
    Total: {
      Tests: features.size,
      Nodes,
      Supported: Math.max(0, 100 - Partial - Unsupported),
      Partial,
      Unsupported,
    },
  }
}

/** How many elements begin in the first part of an HTML text; a whole one of megabytes would hold up other requests. */
function countElements(html: string): number {
  let count = 0
  const end = Math.min(html.length, maxCounted)
  for (let at = html.indexOf('<'); at !== -1 && at < end; at = html.indexOf('<', at + 1)) {
    const letter = html.charCodeAt(at + 1) | 0x20
    if (letter >= 0x61 && letter <= 0x7a) count++
  }
  return count
}

function toWarning({ slug, title, url, category, count }: SupportedFeature): HtmlWarning | null {
  // A letter for each client, in their order.
  const letters = features.get(slug)?.support ?? ''
  const Results = clients.flatMap(({ Name, Family, Platform }, at) => {
    const Support = supports[letters[at] ?? '']
    return Support ? [{ Name, Platform, Family, Version: '', Support, NoteNumber: '' }] : []
  })
  const share = (wanted: string): number =>
    (100 * Results.filter(({ Support }) => Support === wanted).length) / Math.max(1, Results.length)
  const Score = { Found: count, Supported: share('yes'), Partial: share('partial'), Unsupported: share('no') }
  if (Score.Partial + Score.Unsupported === 0) return null
  return {
    Slug: slug,
    Title: title,
    Description: '',
    URL: url,
    // Mailpit knows only these two.
    Category: category === 'css' ? 'css' : 'html',
    Tags: [],
    Keywords: '',
    Results,
    NotesByNumber: {},
    Score,
  }
}

/** The answers of links; 0 stands for a link without an answer, whose status says why. */
export function toLinkCheck(answers: ReadonlyMap<string, LiveAnswer>): LinkCheck {
  const Links = [...answers].map(([URL, { status, reason }]) => {
    const StatusCode = reason === null ? (status ?? 0) : 0
    return { URL, StatusCode, Status: reason ?? STATUS_CODES[StatusCode] ?? '' }
  })
  const Errors = Links.filter(({ StatusCode }) => StatusCode === 0 || StatusCode >= 400).length
  return { Errors, Links }
}

/** The report of SpamAssassin; if there is none, the findings of our own checks, and why. */
export async function spamCheck(
  inbox: Pick<Inbox & InboxPages, 'check' | 'outside'>,
  id: string,
  signal: AbortSignal,
): Promise<SpamCheck> {
  let reason =
    'No SpamAssassin was asked: none is configured (--spamd host:port), or the message is too large'
  try {
    const verdict = await inbox.outside.spam(id, { signal })
    if (verdict !== null) return toSpamCheck(verdict)
  } catch (error) {
    if (error instanceof LocalpostError) throw error
    signal.throwIfAborted()
    reason = `SpamAssassin could not be asked: ${messageOf(error)}`
  }
  return findingsAsSpamCheck(await inbox.check(id, { signal }), reason)
}

function toSpamCheck({ score, required, rules }: SpamVerdict): SpamCheck {
  return {
    IsSpam: score >= required,
    Error: '',
    Score: score,
    Rules: rules.map(({ name, points, description }) => ({
      Score: points,
      Name: name,
      Description: description,
    })),
  }
}

/**
 * The findings of our own checks instead, without points, because points would be made up.
 *
 * @param reason  Why there is no report, without a full stop.
 */
function findingsAsSpamCheck({ findings }: CheckReport, reason: string): SpamCheck {
  return {
    IsSpam: false,
    Error: `${reason}. The rules are findings of Localpost’s own checks, without points.`,
    Score: 0,
    Rules: findings.map(({ id, message }) => ({
      Score: 0,
      Name: id.toUpperCase().replaceAll('-', '_'),
      Description: message,
    })),
  }
}

const maxCounted = 1024 * 1024
const supports: Readonly<Record<string, 'yes' | 'no' | 'partial'>> = { y: 'yes', n: 'no', a: 'partial' }

/** In the order of `clientNames`, which is also that of the letters of a feature. */
const clients = clientNames.map(([client, Name]) => {
  const [Family = '', Platform = ''] = client.split('/')
  return { Name, Family, Platform }
})

/** The families of each platform. */
const platforms: HtmlCheck['Platforms'] = {}
for (const { Family, Platform } of clients) (platforms[Platform] ??= []).push(Family)
