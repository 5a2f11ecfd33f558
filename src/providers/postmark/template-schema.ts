import { z } from 'zod'
import { checkPage, pageMembers } from './pages.ts'
import { queryName } from './query-members.ts'

const text = z.string().max(1_000_000).nullish()
const name = z.string().min(1).max(255)
const subject = z.string().min(1).max(998)
const noLayout = z
  .null({ error: 'is not supported: there are no layouts. Write all of the template into HtmlBody' })
  .optional()
const standard = z.literal('Standard', { error: 'must be "Standard": layouts are not supported' }).nullish()

const bodies = {
  HtmlBody: text.describe('In Mustachio. `HtmlBody`, `TextBody` or both are required'),
  TextBody: text.describe('In Mustachio'),
  TemplateType: standard,
  LayoutTemplate: noLayout,
}

const alias = z
  .string()
  .regex(/^[A-Za-z][\w.-]{0,127}$/, 'must be a letter, then up to 127 of A-Z a-z 0-9 . _ -')
  .nullish()

/** The body of `POST /templates`. */
export const newTemplateSchema = z.strictObject({
  Name: name,
  Alias: alias.describe('Also the id of the template in Localpost. Default: the number that it gets'),
  Subject: subject.describe('In Mustachio'),
  ...bodies,
})

/** The body of `PUT /templates/{idOrAlias}`: what is absent stays. */
export const templateChangesSchema = z.strictObject({
  Name: name.optional(),
  Alias: alias.describe('Only the one that it has: it is the id of the template in Localpost'),
  Subject: subject.optional(),
  ...bodies,
})

/** A template in the list, and the answer to a change. */
export const listedTemplateSchema = z.strictObject({
  TemplateId: z.int(),
  Name: z.string().describe('The id, where it has none'),
  Alias: z.string().nullable().describe('The id in Localpost; null where that is a number'),
  Active: z.literal(true),
  TemplateType: z.literal('Standard'),
  LayoutTemplate: z.null(),
})
export type PostmarkListedTemplate = z.infer<typeof listedTemplateSchema>

/** A template. */
export const templateSchema = z.strictObject({
  ...listedTemplateSchema.shape,
  Subject: z.string(),
  HtmlBody: z.string().nullable(),
  TextBody: z.string().nullable(),
  AssociatedServerId: z.int(),
})
export type PostmarkTemplate = z.infer<typeof templateSchema>

/** The body of `POST /templates/validate`. */
export const templateTestSchema = z.strictObject({
  Subject: text.describe('At least one of the three texts is required'),
  HtmlBody: text,
  TextBody: text,
  TestRenderModel: z.record(z.string(), z.unknown()).nullish().describe('What they are rendered with'),
  InlineCssForHtmlTestRender: z.boolean().nullish().describe('Has no effect: styles stay where they are'),
  TemplateType: standard,
  LayoutTemplate: noLayout,
})
export type PostmarkTemplateTest = z.infer<typeof templateTestSchema>

const section = z
  .strictObject({
    ContentIsValid: z.boolean(),
    ValidationErrors: z.array(
      z.strictObject({
        Message: z.string(),
        Line: z.int().nullable(),
        CharacterPosition: z.int().nullable(),
      }),
    ),
    RenderedContent: z.string().nullable().describe('Null for one that is not valid'),
  })
  .nullable()
  .describe('Null for one that is absent')

/** What is wrong with a template, and what it becomes. */
export const templateCheckSchema = z.strictObject({
  AllContentIsValid: z.boolean(),
  Subject: section,
  HtmlBody: section,
  TextBody: section,
  SuggestedTemplateModel: z.record(z.string(), z.unknown()).describe('`TestRenderModel`, with what it lacks'),
})
export type PostmarkTemplateCheck = z.infer<typeof templateCheckSchema>

/** The query of the list of templates. */
export const templateQuery = z
  .strictObject({
    ...pageMembers,
    templatetype: queryName(['All', 'Standard', 'Layout']),
    layouttemplate: z.string().max(200).optional().describe('There are none'),
  })
  .superRefine(checkPage)
