import { z } from 'zod'

const name = z.string().min(1).max(100)
const time = z.string().describe('In UTC: `2026-01-31 09:00:00`')

/** The body of `POST /sendgrid/v3/templates`. */
export const newTemplateSchema = z.strictObject({
  name,
  generation: z
    .literal('dynamic', { error: 'must be "dynamic": Localpost has no legacy templates' })
    .describe('`dynamic`: there are no legacy templates'),
})

/** The body of `PATCH /sendgrid/v3/templates/{template_id}`. */
export const templateChangesSchema = z.strictObject({ name })

const content = z.string().max(1_000_000)
const noEffect = z.string().optional().describe('Has no effect')

const versionMembers = {
  name,
  subject: z.string().max(255),
  html_content: content.optional(),
  plain_content: content.optional().describe('No text is made of `html_content` without it'),
  generate_plain_content: z.boolean().optional().describe('Has no effect: no text is made of HTML'),
  active: z
    .literal([0, 1])
    .optional()
    .describe('1: emails are sent with it. The first version is always active; default for others: 0'),
  editor: z.enum(['code', 'design']).optional(),
  test_data: z.string().max(100_000).optional(),
  template_id: noEffect,
  thumbnail_url: noEffect,
}

/** The body of `POST /sendgrid/v3/templates/{template_id}/versions`. */
export const newVersionSchema = z.strictObject(versionMembers)
export type SendGridNewVersion = z.infer<typeof newVersionSchema>

/** The body of `PATCH /sendgrid/v3/templates/{template_id}/versions/{version_id}`. */
export const versionChangesSchema = z.strictObject({
  ...versionMembers,
  name: name.optional(),
  subject: versionMembers.subject.optional(),
  active: z.literal([0, 1]).optional().describe('1: emails are sent with it. Default: as it was'),
})

/** A version of a template in a list. */
const listedVersionSchema = z.strictObject({
  id: z.string(),
  template_id: z.string(),
  active: z.literal([0, 1]),
  name: z.string(),
  subject: z.string(),
  generate_plain_content: z.boolean(),
  editor: z.enum(['code', 'design']),
  updated_at: time,
})

/** A version of a template. */
export const versionSchema = z.strictObject({
  ...listedVersionSchema.shape,
  html_content: z.string(),
  plain_content: z.string(),
  test_data: z.string(),
})
export type SendGridVersion = z.infer<typeof versionSchema>

/** A template in a list. */
export const listedTemplateSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  generation: z.literal('dynamic'),
  updated_at: time,
  versions: z.array(listedVersionSchema),
})
export type SendGridListedTemplate = z.infer<typeof listedTemplateSchema>

/** A template with its versions. */
export const templateSchema = z.strictObject({
  ...listedTemplateSchema.shape,
  versions: z.array(versionSchema),
})
export type SendGridTemplate = z.infer<typeof templateSchema>
