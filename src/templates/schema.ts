import { z } from 'zod'
import type { Template, TemplateInput, TemplateVersion } from './types.ts'

const maxBodyBytes = 1_000_000

const body = z
  .string()
  .max(maxBodyBytes, { abort: true })
  .refine((text) => Buffer.byteLength(text) <= maxBodyBytes, 'must have at most 1 MB')
  .nullable()
  .optional()

/** A template to store, with at least one of the members: the body of `PUT /dev/templates/{id}`. */
export const templateInputSchema: z.ZodType<TemplateInput> = z
  .strictObject({
    subject: z
      .string()
      .max(998)
      .regex(/^[^\r\n]*$/, 'must be one line: a line break would end the header')
      .regex(/^\P{Surrogate}*$/u, 'has half of a surrogate pair, which is not a character')
      .nullable()
      .optional()
      .describe('May hold placeholders such as {{name}}, as the bodies may'),
    html: body.describe('HTML body, at most 1 MB'),
    text: body.describe('Plain-text body, at most 1 MB'),
  })
  .refine(({ subject, html, text }) => Boolean(subject || html || text), {
    error: 'must have at least one of subject, html and text that is not empty',
  })

/** HTML to be shown: the body of `POST /dev/templates/preview`. */
export const shownHtmlSchema: z.ZodType<{ html: string }> = z.strictObject({
  html: z.string().max(4 * maxBodyBytes),
})

/** HTML as it may be shown: the answer. Characters that are escaped make it longer. */
export const safeHtmlSchema: z.ZodType<{ html: string }> = z.strictObject({ html: z.string() })

/** A template as `/dev/templates` answers it. */
export const templateSchema: z.ZodType<Template> = z.strictObject({
  id: z.string().describe('Chosen by who stored it'),
  subject: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  created: z.int().describe('Unix time in milliseconds'),
  updated: z.int().describe('Unix time in milliseconds of the last PUT'),
})

/** An earlier version of a template, as `/dev/templates/{id}/versions` answers it. */
export const templateVersionSchema: z.ZodType<TemplateVersion> = z.strictObject({
  id: z.string(),
  subject: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  updated: z.int().describe('Unix time in milliseconds of the PUT that stored it'),
})
