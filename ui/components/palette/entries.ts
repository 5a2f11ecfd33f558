import type { ListedMail } from '../../../src/inbox/types.ts'
import type { DomainSummary } from '../../../src/domains/types.ts'
import type { Template } from '../../../src/templates/types.ts'
import { useAccounts } from '../../composables/accounts.ts'
import type { Command } from '../../composables/commands.ts'
import type { Instance } from '../../composables/instance.ts'
import type { Router } from '../../composables/route.ts'
import { useTheme } from '../../composables/theme.ts'
import { spellOverrides, splitAddress } from '../../composables/words.ts'

/** What the palette offers: a command of the page, or something to go to. */
export interface Entry extends Pick<Command, 'id' | 'words' | 'keys' | 'run'> {
  /** Shown before the words: the kind of it. */
  group: string
}

/** Settings and descriptions, which are there without a request. */
export function settingEntries(): Entry[] {
  const theme = useTheme()
  const settings = [
    ['dark', 'Dark theme'],
    ['light', 'Light theme'],
    ['system', 'Theme of the system'],
  ] as const
  const docs = [
    ['v1/openapi.json', 'Description of the API /v1 (OpenAPI)'],
    ['dev/openapi.json', 'Description of the control API /dev (OpenAPI)'],
  ] as const
  return [
    ...settings.map(([value, words]) => ({
      id: `theme-${value}`,
      words,
      group: 'Page',
      run: () => void (theme.value = value),
    })),
    ...docs.map(([path, words]) => ({
      id: `docs-${path}`,
      words,
      group: 'Docs',
      run: () => void window.open(path, '_blank', 'noopener'),
    })),
  ]
}

/** The other accounts that the caller may see. */
export function accountEntries(): Entry[] {
  const { all, isNamed, shown, show } = useAccounts()
  if (!isNamed.value) return []
  return (all.value ?? [])
    .filter(({ name }) => name !== shown.value)
    .map(({ name }) => ({ id: `account-${name}`, words: name, group: 'Account', run: () => show(name) }))
}

/** Domains and templates, the first hundred of each. What cannot be read is left out. */
export async function placeEntries(
  { api }: Pick<Instance, 'api'>,
  { go }: Pick<Router, 'go'>,
  signal: AbortSignal,
): Promise<Entry[]> {
  const [domains, templates] = await Promise.all([
    api
      .read<{ domains: DomainSummary[] }>('dev/domains?limit=100', signal)
      .then((page) => page.domains)
      .catch(() => []),
    api
      .read<{ templates: Template[] }>('dev/templates?limit=100', signal)
      .then((page) => page.templates)
      .catch(() => []),
  ])
  return [
    ...domains.map(({ id, name }) => ({
      id: `domain-${id}`,
      words: name,
      group: 'Domain',
      run: () => go({ view: 'domains', id }),
    })),
    ...templates.map(({ id }) => ({
      id: `template-${id}`,
      words: id,
      group: 'Template',
      run: () => go({ view: 'templates', id }),
    })),
  ]
}

/** The newest mails with a text in their subject, or in the name or address of a sender or recipient. */
export async function mailEntries(
  { api }: Pick<Instance, 'api'>,
  { go }: Pick<Router, 'go'>,
  typed: string,
  signal: AbortSignal,
): Promise<Entry[]> {
  const text = typed.replaceAll('"', ' ').trim().slice(0, longestSearch)
  if (text === '') return []
  const pages = await Promise.all(
    ['subject', 'from', 'to'].map((key) =>
      api.list({ query: `${key}:"${text}"`, limit: mostMails, count: 'page' }, signal),
    ),
  )
  const found = new Map<string, ListedMail>(
    pages.flatMap(({ emails }) => emails).map((mail) => [mail.id, mail]),
  )
  return [...found.values()]
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, mostMails)
    .map(({ id, subject, from, to }) => ({
      id: `open-${id}`,
      words: `${spellOverrides(subject) || 'No subject'} · ${nameOf(from)} to ${to[0] ?? 'undisclosed recipients'}`,
      group: 'Open',
      run: () => go({ view: 'mail', id }),
    }))
}

function nameOf(from: string): string {
  const { name, address } = splitAddress(from)
  return spellOverrides(name || address) || 'No sender'
}

const mostMails = 6
const longestSearch = 200
