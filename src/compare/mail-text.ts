import { fieldOf } from '../core/header-fields.ts'
import { scannedLength } from '../mime/html/scan-html.ts'
import { formatHtml, withLimits } from './format-html.ts'
import type { mailSections } from './listed-lines.ts'
import { createMask, type Mask } from './masks.ts'

/** The members of a mail that are compared. */
export interface ComparedMail {
  from: string
  subject: string
  bcc: readonly string[]
  headers: readonly (readonly [name: string, value: string])[]
  html: string
  text: string
  codes: readonly string[]
  attachments: readonly {
    filename: string
    content_type: string
    size_bytes: number
    sha256: string
    disposition: 'attachment' | 'inline'
  }[]
}

/** The name of a part that is compared. */
export type MailSection = (typeof mailSections)[number]

/** The lines of a mail, by section. */
export type MailLines = Map<MailSection, string[]>

/** The sections to leave out, the header fields to add, and the texts to mask. */
export interface MailTextOptions {
  /** Parts to leave out. Default: none. */
  except?: readonly MailSection[] | undefined
  /** Names of header fields to add to those that matter to recipients. Default: none. */
  headers?: readonly string[] | undefined
  /** Texts and patterns to mask, in addition to ids, dates, tokens and codes. Default: none. */
  mask?: readonly (string | RegExp)[] | undefined
}

/**
 * A mail as lines of text, section by section.
 *
 * @param isMasked  Whether what differs each time is masked; without it the values are shown. Default: true.
 */
export function mailLines(
  mail: ComparedMail,
  { except = [], headers = [], mask: own }: MailTextOptions = {},
  isMasked: boolean = true,
): MailLines {
  const mask = isMasked ? createMask(mail.codes, own) : (text: string): string => text
  const sections: MailLines = new Map()
  const wants = (name: MailSection): boolean => !except.includes(name)
  if (wants('headers')) sections.set('headers', headerLines(mail, headers, isMasked ? mask : null))
  if (wants('structure')) sections.set('structure', structureLines(mail))
  // Line by line: masks do not reach over lines.
  if (wants('text')) sections.set('text', textLines(mail.text).map(mask))
  if (wants('html')) sections.set('html', formatHtml(mail.html).map(mask))
  if (wants('attachments'))
    sections.set(
      'attachments',
      mail.attachments.map(
        ({ filename, content_type, sha256 }) => `${mask(filename)}, ${content_type}, sha256 ${sha256}`,
      ),
    )
  return sections
}

/** The sections as one text, each with its heading; sections without a line are left out. */
export function toText(sections: ReadonlyMap<MailSection, readonly string[]>): string {
  return [...sections]
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => (name === 'headers' ? lines : [`--- ${name} ---`, ...lines]).join('\n'))
    .join('\n\n')
}

/** Header fields that recipients and their mail programs act on, in the order in which they are shown. */
const comparedFields: readonly string[] = (
  'from sender reply-to to cc subject in-reply-to references list-id list-unsubscribe list-unsubscribe-post ' +
  'auto-submitted precedence importance priority x-priority disposition-notification-to'
).split(' ')
const idFields = new Set(['message-id', 'in-reply-to', 'references', 'content-id'])
const maxComparedFields = 500
const maxValueLength = 10_000

function headerLines(mail: ComparedMail, added: readonly string[], mask: Mask | null): string[] {
  const { bcc, from, subject } = mail
  // A mail whose message is not written yet has no header.
  const headers: ComparedMail['headers'] =
    mail.headers.length > 0
      ? mail.headers
      : [
          ['From', from],
          ['Subject', subject],
        ]
  const names = [...new Set([...comparedFields, ...added.map((name) => name.toLowerCase())])]
  const rank = ([name]: readonly [string, string]): number => names.indexOf(name.toLowerCase())
  const lines = headers
    .slice(0, maxComparedFields)
    .filter((field) => rank(field) !== -1)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(([name, value]) => {
      const shown = oneLine(value)
      if (!mask) return `${name}: ${shown}`
      const isId = idFields.has(name.toLowerCase())
      return `${name}: ${mask(isId ? shown.replace(/<[^<>]{1,1000}>/g, '<[message-id]>') : shown)}`
    })
  if (headers.length > maxComparedFields)
    lines.push(`(Only the first ${maxComparedFields} fields are compared.)`)
  if (bcc.length > 0) lines.push(`Bcc (envelope only): ${(mask ?? String)(bcc.slice(0, 1000).join(', '))}`)
  return lines
}

/** The structure of the message. Names and sizes of attachments are in their own section. */
function structureLines({ headers, text, html, attachments }: ComparedMail): string[] {
  const type = fieldOf(headers, 'content-type') ?? 'text/plain'
  const whole = oneLine(type.split(';')[0] ?? '').toLowerCase()
  const bodies = [...(text === '' ? [] : ['text/plain']), ...(html === '' ? [] : ['text/html'])]
  const parts = [
    ...bodies,
    ...attachments.map(({ content_type, disposition }) => `${content_type} (${disposition})`),
  ]
  return parts.length === 1 && parts[0] === whole ? [whole] : [whole, ...parts.map((part) => `  ${part}`)]
}

function textLines(text: string): string[] {
  const lines = text
    .slice(0, scannedLength)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
  while (lines.at(-1) === '') lines.pop()
  return withLimits(lines, text.length)
}

function oneLine(value: string): string {
  const line = value.slice(0, maxValueLength).replace(/\s+/g, ' ').trim()
  return value.length > maxValueLength
    ? `${line} (Only the first ${maxValueLength} characters are shown.)`
    : line
}
