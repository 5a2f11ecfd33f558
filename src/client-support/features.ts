import { shorten } from '../core/errors.ts'
import { clientNames, featureRows } from './data.ts'

/** A feature of HTML or CSS, as Can I email describes it. */
export interface Feature {
  title: string
  category: string
  /** Its page, with notes and versions. */
  url: string
  /** A letter per client; see `data.ts`. */
  support: string
}

/** All features by their slugs. */
export const features: ReadonlyMap<string, Feature> = new Map(
  featureRows.map(([slug, title, support]) => {
    const category = /^(?:css|html|image)(?=-)/.exec(slug)?.[0] ?? 'others'
    return [slug, { title, category, url: `https://www.caniemail.com/features/${slug}/`, support }]
  }),
)

/** The keys of the clients that have a letter for a feature. */
export function clientsWith({ support }: Feature, letter: 'a' | 'n'): string[] {
  return clientNames.flatMap(([client], at) => (support[at] === letter ? [client] : []))
}

/** What is written at a place, in one line of at most 120 characters. */
export function placeText(text: string): string {
  return shorten(text.slice(0, 1000).replace(/\s+/g, ' '), 120)
}

/** How many places of a feature are named. */
export const maxPlaces = 20
