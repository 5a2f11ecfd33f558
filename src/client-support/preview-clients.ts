import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { clientNames, features } from './features.ts'

/** The mail clients that previews exist for, by their keys in the tables of Can I email. */
export const previewClients = [
  'gmail/desktop-webmail',
  'gmail/mobile-webmail',
  'gmail/android',
  'gmail/ios',
  'outlook/windows',
  'outlook/outlook-com',
  'apple-mail/macos',
  'apple-mail/ios',
  'yahoo/desktop-webmail',
  'yahoo/android',
  'yahoo/ios',
] as const
export type PreviewClient = (typeof previewClients)[number]

/** The known behavior of a client beyond the tables of Can I email. */
export interface ClientRules {
  /** Shows only so many bytes of the HTML. */
  maxHtmlBytes?: number
  /** Style sheets from the one on that exceeds this total are removed. */
  maxStyleChars?: number
  /** Removes a style sheet with an at-rule in an at-rule. */
  dropsNestedAtRules?: true
  /** Removes style sheets in the body, or in the head. */
  dropsStylesIn?: 'body' | 'head'
  /** Is the Word engine: reads conditional comments, and ignores sizes and paddings of boxes that are no tables. */
  isWord?: true
}

// https://github.com/hteumeuleu/email-bugs/issues/41, /90 and /56; https://github.com/hteumeuleu/caniemail/issues/144
const gmail: ClientRules = {
  maxHtmlBytes: 102 * 1024,
  maxStyleChars: 16_384,
  dropsNestedAtRules: true,
  dropsStylesIn: 'body',
}

const rules: { readonly [Client in PreviewClient]?: ClientRules } = {
  'gmail/desktop-webmail': gmail,
  'gmail/mobile-webmail': gmail,
  'gmail/android': gmail,
  'gmail/ios': gmail,
  'outlook/windows': { isWord: true },
  'yahoo/android': { dropsStylesIn: 'head' },
}

/** The parts that a rule removes, by its id, with the limits of `gmail`; the other ids are those of Can I email. */
export const ruleTitles = {
  clipped: 'HTML after the first 102 KB',
  'too-long': 'HTML after the first million characters, which is not in the preview',
  'style-limit': 'Style sheets beyond 16,384 characters',
  'nested-at-rule': 'A style sheet with an at-rule in an at-rule',
  'style-in-body': 'A style sheet in the body',
  'style-in-head': 'A style sheet in the head',
  'word-box': 'Sizes and paddings of boxes that are no tables',
  'not-outlook': 'What is for other clients than Outlook',
} as const
export type RuleId = keyof typeof ruleTitles

/** A client as previews need it. */
export interface PreviewedClient {
  client: PreviewClient
  /** For people. */
  name: string
  rules: ClientRules
  /** The features that it ignores, and that the preview therefore removes. */
  ignores: ReadonlySet<string>
}

/** @throws validation_error for a client without a preview. */
export function previewedClient(key: unknown): PreviewedClient {
  const client = previewClients.find((one) => one === key)
  if (client === undefined) {
    const message = `client: there is no preview as ${quote(key)}. The clients are ${previewClients.join(', ')}.`
    throw new LocalpostError('validation_error', message)
  }
  const at = clientNames.findIndex(([one]) => one === client)
  const name = clientNames[at]?.[1] ?? client
  const ignored = [...features].flatMap(([slug, { support }]) =>
    support[at] === 'n' && !stays.has(slug) ? [slug] : [],
  )
  return { client, name, rules: rules[client] ?? {}, ignores: new Set(ignored) }
}

/** Features that stay although a client ignores them. */
const stays: ReadonlySet<string> = new Set([
  // Not in the HTML.
  'amp',
  'bimi',
  // The client's own page has one.
  'html-doctype',
  // One of several names in a list of fonts: the others still apply.
  'css-sytem-ui',
])
