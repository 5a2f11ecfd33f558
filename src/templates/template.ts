import type { Collection, StoredRecord } from '../store/store.ts'

/** What a stored template gives to a send request that names it; the request's own members win. */
export interface TemplateContent {
  subject: string | null
  html: string | null
  text: string | null
}

/** A template as stored; its id is chosen by who stores it. */
export interface TemplateRecord extends StoredRecord, TemplateContent {
  created: number
  updated: number
}

export const templateCollection: Collection<TemplateRecord> = { name: 'templates', indexes: {} }

/** A template as `/dev/templates` answers it. */
export interface Template extends TemplateContent {
  id: string
  created: number
  updated: number
}

/** What may be stored: at least one of the members. */
export interface TemplateInput {
  subject?: string | null
  html?: string | null
  text?: string | null
}
