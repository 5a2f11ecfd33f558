import { z } from 'zod'
import { queryNumber } from '../../server/query-values.ts'
import { versionMark } from './conventions.ts'
import { pageName } from './paging.ts'

// So that a rendered mail stays short enough for the event loop. Mailgun itself takes 100 KB.
const content = z.string().max(900_000).describe('The HTML, with Handlebars')
const note = z.string().max(2000).optional()
const engine = z.literal('handlebars', 'must be handlebars').optional()
const yesNo = z.enum(['yes', 'no']).optional()

/** What a version is called: a part of the id of the template that keeps it. */
const tag = z.string().regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 of the characters A-Z a-z 0-9 . _ -')
const json = z.string().max(10_000).optional()
const headers = json.describe('An object in JSON with the member `Subject`; others are not supported')

const versionMembers = {
  engine,
  comment: note,
  headers,
  mjml: z.never({ error: 'is not supported: give HTML in template' }).optional(),
}

/** The body of `POST /v3/{domain}/templates`. */
export const newTemplateSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(128)
    .refine(
      (name) => !`${name.toLowerCase()}.`.includes(versionMark),
      `must not contain ${versionMark}, nor end in .v: what follows that is the tag of a version`,
    )
    .describe('In lower case'),
  description: note,
  createdBy: note,
  template: content,
  tag: tag.optional().describe('Of its first version. Default: `initial`'),
  ...versionMembers,
})

/** The body of `PUT /v3/{domain}/templates/{name}`. */
export const templateUpdateSchema = z.strictObject({ description: z.string().max(2000) })

/** The body of `POST /v3/{domain}/templates/{name}/versions`. */
export const newVersionSchema = z.strictObject({
  tag,
  template: content,
  active: yesNo.describe('Whether mail is sent from it unless it names another. Default: `no`'),
  ...versionMembers,
})

/** The body of `PUT /v3/{domain}/templates/{name}/versions/{tag}`. */
export const versionUpdateSchema = z.strictObject({
  template: content.optional(),
  active: yesNo,
  comment: note,
  headers,
})

/** A version in answers. */
const versionSchema = z.strictObject({
  id: z.string(),
  tag: z.string(),
  engine: z.string(),
  comment: z.string(),
  createdAt: z.string(),
  active: z.boolean(),
  template: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})
export type MailgunVersion = z.infer<typeof versionSchema>

/** A template in answers. */
export const templateSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  version: versionSchema.optional(),
  versions: z.array(versionSchema).optional(),
})
export type MailgunTemplate = z.infer<typeof templateSchema>

/** An answer with one template. */
export const templateAnswerSchema = z.strictObject({
  message: z.string().optional(),
  template: templateSchema,
})

/** The answer to a change. */
export const changedTemplateSchema = z.strictObject({
  message: z.string(),
  template: z
    .strictObject({ name: z.string(), version: z.strictObject({ tag: z.string() }).optional() })
    .optional(),
})

/** The query of the list. */
export const templateQuerySchema = z.strictObject({
  page: pageName.optional().describe('Default: `first`'),
  p: z.string().max(200).optional().describe('With `next` and `previous`: the name beside the page'),
  limit: queryNumber(1, 100).optional().describe('Default: 100'),
})
