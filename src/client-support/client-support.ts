import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { createLineAt } from '../core/line-at.ts'
import { scannedLength } from '../mime/html/scan-html.ts'
import { clientNames, clientsWith } from './features.ts'
import { findFeatures, type MailContent } from './find-features.ts'
import type { ClientScore, ClientSupport, SupportedFeature } from './types.ts'

/** Options of `inbox.clientSupport()`. */
export interface ClientSupportOptions {
  /**
   * The weight of each client in the total, by its key, as `{ 'gmail/ios': 30, 'outlook/windows': 10 }`. A client that is
   * not named does not count. Default: all clients have the same weight.
   */
  shares?: Readonly<Record<string, number>>
  /** Ends the work; it then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

/**
 * Determines how mail clients support the HTML and CSS of a mail, from the tables of Can I email. Nothing is fetched.
 *
 * @throws validation_error for a share of an unknown client, a share that is no number from 0, and if all shares are 0.
 */
export function clientSupport(
  mail: MailContent,
  { shares }: Pick<ClientSupportOptions, 'shares'> = {},
): ClientSupport {
  if (shares !== undefined) checkShares(shares)
  const uses = findFeatures(mail)
  const lineAt = createLineAt(mail.html.slice(0, scannedLength))
  const features = uses.map(({ slug, feature, count, places }): SupportedFeature => {
    const { title, category, url } = feature
    return {
      slug,
      title,
      category,
      url,
      count,
      places: places.map(({ offset, snippet }) => ({ line: lineAt(offset), snippet })),
      unsupported: clientsWith(feature, 'n'),
      partial: clientsWith(feature, 'a'),
    }
  })
  const clients = clientNames.map(([client, name], at): ClientScore => {
    const values = uses.flatMap(({ feature }) => valueOfLetter[feature.support[at] ?? 'u'] ?? [])
    const sum = values.reduce((total, one) => total + one, 0)
    return { client, name, score: values.length === 0 ? 100 : round((100 * sum) / values.length) }
  })
  return { score: weighted(clients, shares), clients, features }
}

function checkShares(shares: Readonly<Record<string, unknown>>): void {
  const keys = clientNames.map(([client]) => client)
  for (const [client, share] of Object.entries(shares)) {
    if (!keys.includes(client)) {
      throw new LocalpostError(
        'validation_error',
        `shares: there is no client ${quote(client)}. The clients are ${keys.join(', ')}.`,
      )
    }
    if (typeof share === 'number' && share >= 0 && Number.isFinite(share)) continue
    const message = `shares: the share of ${client} must be a number from 0 on, not ${quote(share)}.`
    throw new LocalpostError('validation_error', message)
  }
  if (Object.values(shares).some((share) => Number(share) > 0)) return
  throw new LocalpostError('validation_error', 'shares: at least one client must have a share above 0.')
}

function weighted(clients: readonly ClientScore[], shares?: Readonly<Record<string, number>>): number {
  const weights = clients.map(({ client }) => (shares ? (shares[client] ?? 0) : 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return round(clients.reduce((sum, { score }, at) => sum + score * (weights[at] ?? 0), 0) / total)
}

const round = (percent: number): number => Math.round(percent * 10) / 10

/** The value of each letter of support. Unknown support (`u`) is not counted. */
const valueOfLetter: Readonly<Record<string, number>> = { y: 1, a: 0.5, n: 0 }
