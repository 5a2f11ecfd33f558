import { clientNames, clientsWith } from '../client-support/features.ts'
import { findFeatures, type FeatureUse } from '../client-support/find-features.ts'
import type { CheckRow, Found } from './check.ts'

/** Checks whether mail clients support the HTML and CSS. */
export const clientChecks: readonly CheckRow[] = [
  {
    id: 'client-support',
    title: 'Mail clients support the HTML and CSS',
    headline: 'Mail clients ignore parts of the HTML and CSS',
    severity: 'warning',
    about:
      'Features that mail clients ignore or support partly, by the tables of Can I email. With `clients`, a feature ' +
      'that one of them ignores is a warning, one that it supports partly a note, and other clients do not count. ' +
      'Without, all of it is a note: no mail pleases every client.',
    fix: 'Check that the mail is readable without it, or use a feature that these clients support.',
    link: 'https://www.caniemail.com',
    run({ mail, clients }) {
      if (mail.html === '') return null
      return findFeatures(mail).flatMap((use) => findingOf(use, clients))
    },
  },
]

function findingOf({ slug, feature, count, places }: FeatureUse, wanted: readonly string[] | null): Found[] {
  const isWanted = (client: string): boolean => wanted?.includes(client) ?? true
  const unsupported = clientsWith(feature, 'n').filter(isWanted)
  const partial = clientsWith(feature, 'a').filter(isWanted)
  if (unsupported.length + partial.length === 0) return []
  const clauses = [
    ...(unsupported.length > 0 ? [`is ignored by ${namesOf(unsupported)}`] : []),
    ...(partial.length > 0 ? [`is partly supported by ${namesOf(partial)}`] : []),
  ]
  const [first] = places
  const isInHtml = slug !== 'bimi' && slug !== 'amp'
  return [
    {
      severity: wanted !== null && unsupported.length > 0 ? 'warning' : 'note',
      message: `${feature.title} ${clauses.join(' and ')}${count > 1 ? `; used ${count} times` : ''}.`,
      ...(first && isInHtml && { place: { html: first.offset, snippet: first.snippet } }),
      link: feature.url,
      clients: { unsupported, partial },
    },
  ]
}

/** All names if there are at most four; otherwise three, and how many more. */
function namesOf(keys: readonly string[]): string {
  const shown = keys.length > 4 ? keys.slice(0, 3) : keys
  const names = shown.map((key) => nameOf.get(key) ?? key)
  return keys.length > shown.length
    ? `${names.join('; ')} and ${keys.length - shown.length} more clients`
    : names.join('; ')
}

const nameOf: ReadonlyMap<string, string> = new Map(
  clientNames.map(([client, name]) => [client, name.replace(/^([^,]*), (.*)$/, '$1 ($2)')]),
)
