import { z } from 'zod'
import type { SesTemplate, SesTemplateContent, SesTemplateUpdate } from './types.ts'

const content = z.string().max(1_000_000).optional()

/** The texts of a template. */
export const templateContentSchema: z.ZodType<SesTemplateContent> = z.strictObject({
  Subject: content,
  Text: content,
  Html: content,
})

const noTags = z.never({ error: 'is not supported: templates have no tags here. Leave it out' }).optional()

/** The body of `CreateEmailTemplate`. */
export const templateSchema: z.ZodType<SesTemplate> = z.strictObject({
  TemplateName: z.string().min(1),
  TemplateContent: templateContentSchema,
  Tags: noTags,
})

/** The body of `UpdateEmailTemplate`. */
export const templateUpdateSchema: z.ZodType<SesTemplateUpdate> = z.strictObject({
  TemplateContent: templateContentSchema,
})
