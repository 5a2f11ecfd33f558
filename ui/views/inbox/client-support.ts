import type { ClientScore, ClientSupport, SupportedFeature } from '../../../src/client-support/types.ts'

/** The clients of one maker, as the page shows them. */
export interface ClientFamily {
  name: string
  /** The lowest score of its clients. */
  score: number
  /** The score of each client if they differ, as `iOS 80, Android 75`; else `""`. */
  words: string
}

/** The makers whose clients most recipients use; they come first. */
const first: readonly string[] = ['Outlook', 'Gmail', 'Apple Mail']

/**
 * The clients by maker: `Gmail, iOS` and `Gmail, Android` belong to Gmail. Those that most recipients use come first, then
 * the lowest score.
 */
export function families({ clients }: ClientSupport): ClientFamily[] {
  const grouped = byFamily(clients)
  return [...grouped]
    .map(([name, members]) => {
      const scores = members.map(({ score }) => Math.round(score))
      const words =
        new Set(scores).size === 1
          ? ''
          : members.map((member, at) => `${split(member.name).platform} ${scores[at]}`).join(', ')
      return { name, score: Math.min(...scores), words }
    })
    .toSorted((a, b) => rank(a.name) - rank(b.name) || a.score - b.score || a.name.localeCompare(b.name))
}

const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length)

/** The features that some clients do not fully support; those that the most clients ignore first. */
export function unsupported({ features }: ClientSupport): SupportedFeature[] {
  return features
    .filter(({ unsupported: none, partial }) => none.length + partial.length > 0)
    .toSorted((a, b) => b.unsupported.length - a.unsupported.length || b.partial.length - a.partial.length)
}

/** How the clients of a maker support a feature. */
export interface MatrixCell {
  /** `no`: all of them ignore it; `some`: some do, or support it partly; `yes`: none is known to ignore it. */
  support: 'no' | 'some' | 'yes'
  /** The clients in question: `ignored by iOS; partly in Android`; `""` for none. */
  words: string
}

/** A table of the features that some clients do not fully support, by maker. */
export interface SupportMatrix {
  makers: string[]
  rows: {
    slug: string
    title: string
    /** The first place where the mail uses it. */
    place: SupportedFeature['places'][number] | null
    /** In the order of the makers. */
    cells: MatrixCell[]
  }[]
}

/** @param makers  The makers that are shown, in their order. */
export function matrixOf(support: ClientSupport, makers: readonly string[]): SupportMatrix {
  const grouped = byFamily(support.clients)
  const rows = unsupported(support).map((feature) => ({
    slug: feature.slug,
    title: feature.title,
    place: feature.places[0] ?? null,
    cells: makers.map((maker) => cellOf(grouped.get(maker) ?? [], feature)),
  }))
  return { makers: [...makers], rows }
}

function cellOf(
  members: readonly ClientScore[],
  { unsupported: none, partial }: SupportedFeature,
): MatrixCell {
  const within = (keys: readonly string[]): ClientScore[] =>
    members.filter(({ client }) => keys.includes(client))
  const named = (clients: readonly ClientScore[]): string =>
    clients.map(({ name }) => split(name).platform).join(', ')
  const [ignoring, part] = [within(none), within(partial)]
  const words = [
    ...(ignoring.length > 0 ? [`ignored by ${named(ignoring)}`] : []),
    ...(part.length > 0 ? [`partly in ${named(part)}`] : []),
  ].join('; ')
  if (ignoring.length === members.length) return { support: 'no', words }
  return { support: words === '' ? 'yes' : 'some', words }
}

/** The names of clients, by maker: `Gmail (iOS, Android), HEY`. */
export function clientWords(keys: readonly string[], { clients }: ClientSupport): string {
  return [...byFamily(clients)]
    .flatMap(([family, members]) => {
      const named = members.filter(({ client }) => keys.includes(client))
      if (named.length === 0) return []
      const platforms = named.map(({ name }) => split(name).platform).join(', ')
      return [named.length === members.length ? family : `${family} (${platforms})`]
    })
    .join(', ')
}

function byFamily(clients: readonly ClientScore[]): Map<string, ClientScore[]> {
  const grouped = new Map<string, ClientScore[]>()
  for (const client of clients) {
    const { family } = split(client.name)
    grouped.set(family, [...(grouped.get(family) ?? []), client])
  }
  return grouped
}

function split(name: string): { family: string; platform: string } {
  const [family = '', platform = ''] = name.split(', ')
  return { family, platform }
}
