import { z } from 'zod'

/** Names that Resend keeps for contacts. */
export const reservedNames: readonly string[] = [
  'FIRST_NAME',
  'LAST_NAME',
  'EMAIL',
  'UNSUBSCRIBE_URL',
  'RESEND_UNSUBSCRIBE_URL',
  'contact',
  'this',
]

const text = z.string().max(1_000_000)
const line = z.string().max(998)
/** In UTF-16 units. */
export const maxNameLength = 255
const name = z.string().min(1).max(maxNameLength)

/** A variable of a template. */
export const templateVariableSchema = z
  .strictObject({
    key: z
      .string()
      .max(50)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must have only ASCII letters, digits and _, and no digit first')
      .refine((key) => !reservedNames.includes(key), { error: 'is a reserved name: choose another' }),
    type: z.enum(['string', 'number']),
    fallback_value: z
      .union([z.string().max(2000), z.number()])
      .nullable()
      .optional(),
  })
  .refine(
    ({ type, fallback_value: value }) => value === undefined || value === null || typeof value === type,
    {
      path: ['fallback_value'],
      error: 'must be of the type that the variable has',
    },
  )

const members = {
  alias: z
    .string()
    .min(1)
    .max(128)
    .nullable()
    .optional()
    .describe('A name of your own, which can be used in place of the id'),
  from: line.min(1).nullable().optional().describe('The sender, unless the email has one'),
  subject: line.nullable().optional().describe('The subject, unless the email has one'),
  reply_to: z
    .union([line.min(1), z.array(line.min(1)).max(50)])
    .nullable()
    .optional(),
  text: text.nullable().optional().describe('Localpost makes no text of `html`'),
  variables: z.array(templateVariableSchema).max(50).nullable().optional(),
}

/** The body of `POST /resend/templates`. */
export const newTemplateSchema = z.strictObject({
  name,
  html: text.min(1).describe('With `{{{NAME}}}` for variables, as the subject and the text may have'),
  ...members,
})

/** The body of `PATCH /resend/templates/{id}`. */
export const templateChangesSchema = z.strictObject({
  name: name.optional(),
  html: text.min(1).optional(),
  ...members,
})
export type ResendTemplateChanges = z.infer<typeof templateChangesSchema>

const time = z.string().describe('ISO 8601')

const listedMembers = {
  id: z.string(),
  name: z.string(),
  alias: z.string().nullable(),
  status: z.enum(['draft', 'published']),
  created_at: time,
  updated_at: time,
  published_at: z.string().nullable(),
}

/** A template in the list. */
export const listedTemplateSchema = z.strictObject(listedMembers)
export type ResendListedTemplate = z.infer<typeof listedTemplateSchema>

/** A template as it is: its draft, if it has one. */
export const templateSchema = z.strictObject({
  object: z.literal('template'),
  ...listedMembers,
  from: z.string().nullable(),
  subject: z.string().nullable(),
  reply_to: z.array(z.string()).nullable(),
  html: z.string(),
  text: z.string().nullable(),
  variables: z
    .array(
      z.strictObject({
        key: z.string(),
        type: z.enum(['string', 'number']),
        fallback_value: z.union([z.string(), z.number()]).nullable(),
        created_at: time,
        updated_at: time,
      }),
    )
    .nullable(),
  has_unpublished_versions: z.boolean(),
  current_version_id: z.string(),
})
export type ResendTemplate = z.infer<typeof templateSchema>

/** A template that was changed. */
export const changedTemplateSchema = z.strictObject({ object: z.literal('template'), id: z.string() })

/** A template that was removed. */
export const removedTemplateSchema = z.strictObject({
  object: z.literal('template'),
  id: z.string(),
  deleted: z.literal(true),
})
