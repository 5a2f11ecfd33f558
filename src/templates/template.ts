import type { Collection, StoredRecord } from '../store/store.ts'
import type { Template, TemplateEngine } from './types.ts'

/** A template as stored. The caller chooses the id. Those of older versions have neither engine nor name. */
export interface TemplateRecord extends StoredRecord, Omit<Template, 'engine' | 'name'> {
  engine?: TemplateEngine
  name?: string | null
}

export const templateCollection: Collection<TemplateRecord> = { name: 'templates', indexes: {} }

/** The members that a stored template gives to a send request; the request's own members take precedence. */
export type TemplateContent = Pick<Template, 'subject' | 'html' | 'text' | 'engine'>

/** The content of a template, or of a version, as stored. */
export function templateContentOf({
  subject,
  html,
  text,
  engine = 'placeholders',
}: Pick<TemplateRecord, 'subject' | 'html' | 'text' | 'engine'>): TemplateContent {
  return { subject, html, text, engine }
}
