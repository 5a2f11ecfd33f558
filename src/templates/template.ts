import type { Collection, StoredRecord } from '../store/store.ts'
import type { Template } from './types.ts'

/** A template as stored. The caller chooses the id. */
export interface TemplateRecord extends StoredRecord, Template {}

export const templateCollection: Collection<TemplateRecord> = { name: 'templates', indexes: {} }

/** The members that a stored template gives to a send request; the request's own members take precedence. */
export type TemplateContent = Pick<Template, 'subject' | 'html' | 'text' | 'engine'>

/** The content of a template, or of a version, as stored. */
export function contentOf({ subject, html, text, engine }: TemplateContent): TemplateContent {
  return { subject, html, text, engine }
}
