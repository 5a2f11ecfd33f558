import { z } from 'zod'

const content = z.string().max(1_000_000).optional()

/** The texts of a template. */
export const templateContentSchema = z.strictObject({
  Subject: content,
  Text: content,
  Html: content,
})
export type SesTemplateContent = z.infer<typeof templateContentSchema>

const noTags = z.never({ error: 'is not supported: templates have no tags here. Leave it out' }).optional()

/** The body of `CreateEmailTemplate`. */
export const templateSchema = z.strictObject({
  TemplateName: z.string().min(1),
  TemplateContent: templateContentSchema,
  Tags: noTags,
})

/** The body of `UpdateEmailTemplate`. */
export const templateUpdateSchema = z.strictObject({
  TemplateContent: templateContentSchema,
})
