import { z } from 'zod'
import { notSupported } from '../not-supported.ts'

const content = z.string().max(1_000_000).optional()

/** The texts of a template. */
export const templateContentSchema = z.strictObject({
  Subject: content,
  Text: content,
  Html: content,
})
export type SesTemplateContent = z.infer<typeof templateContentSchema>

const noTags = notSupported('templates have no tags here')

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
