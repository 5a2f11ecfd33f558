import data from './data.json' with { type: 'json' }

/** The mail clients, in the order of the letters of {@link Feature.support}: key, and name for people. */
export const clientNames: readonly (readonly [client: string, name: string])[] = Object.entries(data.clients)

/** A feature of HTML or CSS, as Can I email describes it. */
export interface Feature {
  title: string
  category: string
  /** Its page, with notes and versions. */
  url: string
  /** A letter per client, for its newest version: y yes, a partly, n no, u unknown. */
  support: string
}

/** All features by their slugs. */
export const features: ReadonlyMap<string, Feature> = new Map(
  Object.entries(data.features).map(([slug, { title, support }]) => {
    const category = /^(?:css|html|image)(?=-)/.exec(slug)?.[0] ?? 'others'
    return [slug, { title, category, url: `https://www.caniemail.com/features/${slug}/`, support }]
  }),
)

/** The keys of the clients that have a letter for a feature. */
export function clientsWith({ support }: Feature, letter: 'a' | 'n'): string[] {
  return clientNames.flatMap(([client], at) => (support[at] === letter ? [client] : []))
}

/** The slugs of features by the names that use them; `names.json` has it the other way round, with spaces between names. */
export function slugsByName(
  namesOf: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly string[]> {
  const slugs = new Map<string, string[]>()
  for (const [slug, names] of Object.entries(namesOf))
    for (const name of names.split(' ')) slugs.set(name, [...(slugs.get(name) ?? []), slug])
  return slugs
}
