import data from './data.json' with { type: 'json' }

/** The clients, in the order of the letters of a row: key, and name for people. */
export const clientNames: readonly (readonly [client: string, name: string])[] = Object.entries(data.clients)

/** A letter per client, for its newest version: y yes, a partly, n no, u unknown. */
export const featureRows: readonly (readonly [slug: string, title: string, support: string])[] =
  Object.entries(data.features).map(([slug, { title, support }]) => [slug, title, support])
