import { isErrorOf } from '../../core/errors.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Template } from '../../templates/types.ts'
import type { ResendTemplateVariable } from './types.ts'

/** What a template has at Resend beside its texts. It is kept in its metadata. */
export interface Details {
  readonly alias: string | null
  readonly from: string | null
  readonly reply_to: string[] | null
  readonly variables: readonly ResendTemplateVariable[]
  /** Unix time in milliseconds; null before the first. */
  readonly published: number | null
  /** Changes with each change of the template. */
  readonly version: string
}

/** A template, with what has changed since it was published. */
export interface StoredTemplate {
  readonly template: Template
  readonly details: Details
  readonly draft: Template | null
}

const key = 'resend'
/** The draft of a published template has an id of its own, because emails are sent from what was published. */
const draftEnd = '.draft'

export const draftIdOf = (id: string): string => `${id}${draftEnd}`
const isDraft = ({ id }: Template): boolean => id.endsWith(draftEnd)

export function toMetadata(details: Details): Record<string, string> {
  return { [key]: JSON.stringify(details) }
}

/** The details of a template. One that came by another interface is published and has no variables to check. */
export function detailsOf({ id, metadata, updated }: Template): Details {
  const kept = metadata?.[key]
  if (kept !== undefined) {
    try {
      return JSON.parse(kept) as Details
    } catch {
      // Somebody has changed it by another interface.
    }
  }
  return { alias: null, from: null, reply_to: null, variables: [], published: updated, version: id }
}

/** All templates, without their drafts; newest first. */
export async function listTemplates(templates: Templates): Promise<Template[]> {
  const found: Template[] = []
  let cursor: string | null = null
  do {
    const page = await templates.list({ limit: 100, cursor })
    // Without their texts, which may be large.
    for (const one of page.items)
      if (!isDraft(one)) found.push({ ...one, subject: null, html: null, text: null })
    cursor = page.cursor
  } while (cursor !== null)
  return found.toSorted((one, other) => other.created - one.created || (one.id < other.id ? 1 : -1))
}

async function getOrNull(templates: Templates, id: string): Promise<Template | null> {
  try {
    return await templates.get(id)
  } catch (error) {
    if (isErrorOf(error, 'not_found')) return null
    throw error
  }
}

/** The template of this id or alias; null if there is none. */
export async function findTemplate(templates: Templates, identifier: string): Promise<Template | null> {
  const known = identifier.endsWith(draftEnd) ? null : await getOrNull(templates, identifier)
  if (known) return known
  const named = (await listTemplates(templates)).find((one) => detailsOf(one).alias === identifier)
  return named ? getOrNull(templates, named.id) : null
}

/** The same with its draft. @throws not_found */
export async function readTemplate(templates: Templates, identifier: string): Promise<StoredTemplate> {
  const template = (await findTemplate(templates, identifier)) ?? (await templates.get(identifier))
  const draft = await getOrNull(templates, draftIdOf(template.id))
  return { template, details: detailsOf(template), draft }
}
