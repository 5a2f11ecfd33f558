import type { TemplateEngine } from '../../../src/templates/types.ts'
import { keptDrafts } from '../shared/kept-drafts.ts'

/** A template as its editor has it. */
export interface Draft {
  subject: string
  html: string
  text: string
  /** Absent in drafts that an older page kept. */
  engine?: TemplateEngine
}

/** Unsaved changes, by the id of the template. */
export const useDrafts: () => Map<string, Draft> = keptDrafts('templates')

/** Whether two drafts have the same content. */
export const isSame = (a: Draft, b: Draft): boolean =>
  a.subject === b.subject && a.html === b.html && a.text === b.text && engineOf(a) === engineOf(b)

export const engineOf = ({ engine = 'placeholders' }: Draft): TemplateEngine => engine

/** The engines, with their names. */
export const engines: readonly (readonly [TemplateEngine, string])[] = [
  ['placeholders', 'Placeholders: {{name}} alone'],
  ['handlebars', 'Handlebars: blocks, loops, helpers'],
  ['mustachio', 'Mustachio: the language of Postmark'],
]
