import { z } from 'zod'
import type { Template } from '../../templates/types.ts'
import { templateVariableSchema, type ResendTemplateChanges } from './template-schema.ts'

/** What a template has at Resend beside its texts. It is kept in its metadata. */
const detailsSchema = z.strictObject({
  alias: z.string().nullable(),
  from: z.string().nullable(),
  reply_to: z.array(z.string()).nullable(),
  variables: z.array(templateVariableSchema),
  published: z
    .number()
    .min(0)
    .max(8.64e15)
    .nullable()
    .describe('Unix time in milliseconds; null before the first'),
  version: z.string().describe('Changes with each change of the template'),
})
export type ResendTemplateDetails = z.infer<typeof detailsSchema>

/** What is not given stays as it was `before`. */
export function mergeDetails(
  given: ResendTemplateChanges,
  before: Omit<ResendTemplateDetails, 'version'>,
  version: string,
): ResendTemplateDetails {
  const { alias = before.alias, from = before.from, reply_to = before.reply_to } = given
  return {
    alias,
    from,
    reply_to: typeof reply_to === 'string' ? [reply_to] : reply_to,
    variables: given.variables === undefined ? before.variables : (given.variables ?? []),
    published: before.published,
    version,
  }
}

/** The details of a template of which nothing is known yet. */
export const noDetails: Omit<ResendTemplateDetails, 'version'> = {
  alias: null,
  from: null,
  reply_to: null,
  variables: [],
  published: null,
}

/** The metadata of a template that has its details. */
const detailsKey = 'resend'
/** Says in the metadata of a draft which template it is the draft of. */
export const draftKey = 'resend_draft_of'

/** The draft of a published template has an id of its own, because emails are sent from what was published. */
export const draftIdOf = (id: string): string => `${id}.draft`
/** The id of the template that this one is the draft of; null if it is no draft. */
export const draftedIdOf = ({ id, metadata }: Template): string | null => {
  const of = metadata?.[draftKey]
  return of !== undefined && id === draftIdOf(of) ? of : null
}
export const isDraft = (template: Template): boolean => draftedIdOf(template) !== null

/**
 * The metadata of a template, with its details.
 *
 * @param kept  Metadata to keep: what other interfaces have set, or the mark of a draft.
 */
export function toMetadata(
  details: ResendTemplateDetails,
  kept: Template['metadata'],
): Record<string, string> {
  return { ...kept, [detailsKey]: JSON.stringify(details) }
}

/** The details of a template. One that came by another interface is published and has no variables to check. */
export function detailsOf({ id, metadata, updated }: Template): ResendTemplateDetails {
  const kept = metadata?.[detailsKey]
  if (kept !== undefined) {
    try {
      const details = detailsSchema.safeParse(JSON.parse(kept))
      if (details.success) return details.data
    } catch {
      // Another interface has made it a text that is not JSON, which is ignored as JSON of another form is.
    }
  }
  return { ...noDetails, published: updated, version: id }
}
