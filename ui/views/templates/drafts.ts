import { keptDrafts } from '../shared/kept-drafts.ts'

/** A template as its editor has it. */
export interface Draft {
  subject: string
  html: string
  text: string
}

/** Unsaved changes, by the id of the template. */
export const useDrafts: () => Map<string, Draft> = keptDrafts('templates')

/** Whether two drafts have the same content. */
export const isSame = (a: Draft, b: Draft): boolean =>
  a.subject === b.subject && a.html === b.html && a.text === b.text
