import { z } from 'zod'
import type {
  RenderedTexts,
  Template,
  TemplateEngine,
  TemplateInput,
  TemplateRendering,
  TemplateVersion,
} from './types.ts'

const maxTemplateBytes = 1_000_000

const body = z
  .string()
  .max(maxTemplateBytes, { abort: true })
  .refine((text) => Buffer.byteLength(text) <= maxTemplateBytes, 'must have at most 1 MB')
  .nullable()
  .optional()

const languages = ['handlebars', 'mustachio'] as const

/** The language of a template. */
export const templateEngineSchema: z.ZodType<TemplateEngine> = z.enum(['placeholders', ...languages])

const maxTemplateMetadata = 100
/** Of the names and values together. */
const maxTemplateMetadataChars = 262_144

const name = z
  .string()
  .max(255)
  .nullable()
  .optional()
  .describe('For people; two templates may have the same. Default: none')

const metadata = z
  .preprocess(
    (given, context) => {
      // `z.record` drops this name silently.
      if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
        context.addIssue('must not have the name "__proto__"')
      return given
    },
    z.record(z.string(), z.string()),
  )
  .refine(
    (given) => Object.keys(given).length <= maxTemplateMetadata,
    `must have at most ${maxTemplateMetadata} names`,
  )
  .refine(
    (given) =>
      Object.entries(given).reduce((sum, [one, value]) => sum + one.length + value.length, 0) <=
      maxTemplateMetadataChars,
    `must have at most ${maxTemplateMetadataChars} characters in names and values`,
  )
  .optional()
  .meta({
    description: `Names and values that stay with the template: at most ${maxTemplateMetadata}, and ${maxTemplateMetadataChars} characters together`,
    maxProperties: maxTemplateMetadata,
  })

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
    engine: templateEngineSchema
      .optional()
      .describe(
        'The language of the texts. Default: `placeholders`, which are {{name}} alone. `handlebars` has blocks, loops and helpers; `mustachio` is the language of Postmark',
      ),
    name,
    metadata,
  })
  .refine(({ subject, html, text, name: given }) => Boolean(subject || html || text || given), {
    error: 'must have at least one of subject, html, text and name that is not empty',
  })

const renderedText = z.string().max(maxTemplateBytes).optional()

/** Texts to be rendered without storing them: the body of `POST /dev/templates/render`. */
export const templateRenderingSchema: z.ZodType<TemplateRendering> = z.strictObject({
  engine: z.enum(languages),
  subject: renderedText,
  html: renderedText,
  text: renderedText,
  data: z.record(z.string(), z.unknown()).optional().describe('A JSON object. Default: none'),
})

/** The texts as they would be sent: the answer. */
export const renderedTextsSchema: z.ZodType<RenderedTexts> = z.strictObject({
  subject: z.string(),
  html: z.string(),
  text: z.string(),
  missing: z.array(z.string()).describe('The names that the data has no value for, each once'),
})

/** HTML to be shown: the body of `POST /dev/templates/preview`. */
export const shownHtmlSchema: z.ZodType<{ html: string }> = z.strictObject({
  html: z.string().max(4 * maxTemplateBytes),
})

/** HTML as it may be shown: the answer. Characters that are escaped make it longer. */
export const safeHtmlSchema: z.ZodType<{ html: string }> = z.strictObject({ html: z.string() })

const content = {
  subject: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  engine: templateEngineSchema,
}

/** A template as `/dev/templates` answers it. */
export const templateSchema: z.ZodType<Template> = z.strictObject({
  id: z.string().describe('Chosen by who stored it'),
  ...content,
  name: z.string().nullable().describe('For people; null without one'),
  metadata: z.record(z.string(), z.string()).optional().describe('Absent without any'),
  created: z.int().describe('Unix time in milliseconds'),
  updated: z.int().describe('Unix time in milliseconds of the last PUT'),
})

/** An earlier version of a template, as `/dev/templates/{id}/versions` answers it. */
export const templateVersionSchema: z.ZodType<TemplateVersion> = z.strictObject({
  id: z.string(),
  ...content,
  updated: z.int().describe('Unix time in milliseconds of the PUT that stored it'),
})
