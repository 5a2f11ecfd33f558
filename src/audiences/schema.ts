import { z } from 'zod'
import { createdBySchema } from '../domains/schema.ts'
import type { Audience, AudienceInput, Contact, ContactChanges, ContactInput, ImportResult } from './types.ts'
import { contactAddressFault } from './addresses.ts'

/** How many invalid rows of an import are named; the others are counted. */
export const maxRejected = 1000

const milliseconds = z.int().describe('Unix time in milliseconds')
// Names end up in subjects, through placeholders: a line break there would end the header.
const givenName = z
  .string()
  .max(500)
  .regex(/^\P{Cc}*$/u, 'must be one line, without control characters')
  .regex(/^\P{Surrogate}*$/u, 'has half of a surrogate pair, which is not a character')
  .nullable()
  .optional()

/** An audience to create or rename: the body of `POST /dev/audiences` and `PATCH /dev/audiences/{id}`. */
export const audienceInputSchema: z.ZodType<AudienceInput> = z.strictObject({
  name: z
    .string()
    .max(200)
    .regex(/\S/, 'must not be empty')
    .describe('What people call the audience; need not be unique'),
})

/** A contact to add. If its email exists in the audience, that contact is updated with the given members. */
export const contactInputSchema: z.ZodType<ContactInput> = z.strictObject({
  email: z
    .string()
    .superRefine((email, context) => {
      const fault = contactAddressFault(email)
      if (fault) context.addIssue({ code: 'custom', message: fault })
    })
    .meta({ description: 'Bare address; the key within the audience, whatever its case', maxLength: 320 }),
  first_name: givenName,
  last_name: givenName,
  is_subscribed: z.boolean().optional().describe('Default for a new contact: true'),
})

/** The members of a contact that `PATCH` may change. */
export const contactChangesSchema: z.ZodType<ContactChanges> = z.strictObject({
  first_name: givenName,
  last_name: givenName,
  is_subscribed: z.boolean().optional(),
})

/** An audience, docs/interface.md 2.6. */
export const audienceSchema: z.ZodType<Audience> = z.strictObject({
  id: z.string(),
  name: z.string(),
  created_by: createdBySchema,
  created: milliseconds,
  updated: milliseconds.describe('Unix time in milliseconds of the last renaming; contacts do not change it'),
  contact_count: z.int().describe('All contacts, subscribed or not'),
  unsubscribers: z.int().describe('Contacts that are not subscribed'),
})

/** A contact, docs/interface.md 2.7. */
export const contactSchema: z.ZodType<Contact> = z.strictObject({
  id: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  email: z.string(),
  is_subscribed: z.boolean(),
  created: milliseconds,
  updated: milliseconds,
})

/** The result of an import: the answer to `POST /dev/audiences/{id}/contacts`. */
export const importResultSchema: z.ZodType<ImportResult> = z.strictObject({
  created: z.int().describe('Contacts that were new'),
  updated: z.int().describe('Contacts that were there already, or further up in the same import'),
  rejected: z
    .array(
      z.strictObject({
        line: z.int().describe('From 1: line of the CSV text, or position in the array'),
        message: z.string().describe('What is wrong with it'),
      }),
    )
    .describe(
      `What was not stored: the first ${maxRejected.toLocaleString('en-GB')} rows, and one more entry that counts the others`,
    ),
})
