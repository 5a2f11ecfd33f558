import { LocalpostError, nullOn, quote } from '../../core/errors.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Template } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import { templateDetailsSchema, type ResendTemplateDetails } from './template-schema.ts'

/** A template, with what has changed since it was published. */
export interface StoredTemplate {
  readonly template: Template
  readonly details: ResendTemplateDetails
  readonly draft: Template | null
}

/** The metadata of a template that has its details. */
const detailsKey = 'resend'
/** Says in the metadata of a draft which template it is the draft of. */
const draftKey = 'resend_draft_of'

/** The draft of a published template has an id of its own, because emails are sent from what was published. */
export const draftIdOf = (id: string): string => `${id}.draft`
const isDraft = ({ id, metadata }: Template): boolean => {
  const of = metadata?.[draftKey]
  return of !== undefined && id === draftIdOf(of)
}

/** @param kept  Metadata that other interfaces have set. */
export function toMetadata(
  details: ResendTemplateDetails,
  kept: Template['metadata'],
): Record<string, string> {
  return { ...kept, [detailsKey]: JSON.stringify(details) }
}

/** The metadata of a draft. What other interfaces have set stays with what is published. */
export function toDraftMetadata(details: ResendTemplateDetails, of: string): Record<string, string> {
  return toMetadata(details, { [draftKey]: of })
}

/** The details of a template. One that came by another interface is published and has no variables to check. */
export function detailsOf({ id, metadata, updated }: Template): ResendTemplateDetails {
  const kept = metadata?.[detailsKey]
  if (kept !== undefined) {
    try {
      const details = templateDetailsSchema.safeParse(JSON.parse(kept))
      if (details.success) return details.data
    } catch {
      // It was changed by another interface, as details of another form were.
    }
  }
  return { alias: null, from: null, reply_to: null, variables: [], published: updated, version: id }
}

/** @throws name_taken if a template that is no draft has the id of the draft. */
export async function assertDraftIsFree(templates: Templates, id: string): Promise<void> {
  const other = await nullOn('not_found', templates.get(draftIdOf(id)))
  if (!other || isDraft(other)) return
  const words = `The draft of this template would be stored as ${quote(other.id)}, which is another template; remove or rename that one.`
  throw new LocalpostError('name_taken', words)
}

/** All templates, without their drafts; newest first. */
export async function listTemplates(templates: Templates): Promise<Template[]> {
  const found: Template[] = []
  // Without their texts, which may be large.
  for await (const one of allOf(templates.list))
    if (!isDraft(one)) found.push({ ...one, subject: null, html: null, text: null })
  return found.toSorted((one, other) => other.created - one.created || (one.id < other.id ? 1 : -1))
}

/** The template of this id or alias; null if there is none. */
export async function findTemplate(templates: Templates, identifier: string): Promise<Template | null> {
  const known = await nullOn('not_found', templates.get(identifier))
  if (known && !isDraft(known)) return known
  const named = (await listTemplates(templates)).find((one) => detailsOf(one).alias === identifier)
  return named ? nullOn('not_found', templates.get(named.id)) : null
}

/** The same with its draft. @throws not_found */
export async function readTemplate(templates: Templates, identifier: string): Promise<StoredTemplate> {
  const template = (await findTemplate(templates, identifier)) ?? (await templates.get(identifier))
  const draft = await nullOn('not_found', templates.get(draftIdOf(template.id)))
  return { template, details: detailsOf(template), draft: draft && isDraft(draft) ? draft : null }
}
