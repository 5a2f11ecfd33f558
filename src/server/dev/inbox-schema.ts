import { z } from 'zod'
import {
  bulkMembers,
  bulkProgressSchema,
  mailSchema,
  listedMailSchema,
  tagCountSchema,
  tagMembers,
} from '../../inbox/schema.ts'
import type { BulkChanges, BulkProgress, TagChanges } from '../../inbox/types.ts'

/** The result of a wait: a mail, or `emails` if it was for a number of them. */
export const awaitedSchema: z.ZodType = z.union([
  mailSchema,
  z.strictObject({ emails: z.array(mailSchema).describe('Newest first') }),
])

/** Whom a mail is released to. */
export const releaseSchema: z.ZodType<{ to: string }> = z.strictObject({
  to: z.string().min(1).describe('One address'),
})

/** The result of a release. */
export const releasedSchema: z.ZodType<{ id: string; to: string; smtp_response: string }> = z.strictObject({
  id: z.string(),
  to: z.string(),
  smtp_response: z.string().describe('What the relay said'),
})

/** A page of the inbox. */
export const foundSchema: z.ZodType = z.strictObject({
  emails: z.array(listedMailSchema),
  count: z.int().describe('All items, the same on every page, but for `count=page`'),
  cursor: z.string().nullable().describe('What the next page is asked for with; null on the last page'),
  unread_texts: z
    .int()
    .optional()
    .describe('How many mails wait to be read, so that the search may miss them; absent if none does'),
  mails: z
    .int()
    .optional()
    .describe('With `fold`: how many mails there are, those of broadcasts one by one; absent without it'),
  at_least: z
    .literal(true)
    .optional()
    .describe('With `count=page`: there may be more matches than `count`; absent if all are counted'),
})

const ids = z.array(z.string().max(100)).max(500).optional().describe('Mails by their ids')

/** The body of `DELETE /dev/inbox`. */
export const idsSchema: z.ZodType<{ ids?: string[] | undefined }> = z.strictObject({ ids })

/** The body of `PATCH /dev/inbox`. */
export const bulkBodySchema: z.ZodType<BulkChanges & { ids?: string[] }> = z.strictObject({
  ids,
  ...bulkMembers,
})

const cancelled = z.literal(true).optional().describe('Whether it was cancelled before its end')

/** How many mails there were to change. */
export const updatedSchema: z.ZodType<{ updated: number }> = z.strictObject({ updated: z.int(), cancelled })

/** How many mails were removed. */
export const bulkDeletedSchema: z.ZodType<{ deleted: number }> = z.strictObject({
  deleted: z.int(),
  cancelled,
})

/** The tags of all mails. */
export const tagsSchema: z.ZodType = z.strictObject({
  tags: z
    .array(tagCountSchema)
    .describe('The 1,000 most frequent, then the others for which a colour was chosen'),
})

/** The body of `PATCH /dev/inbox/tags`. */
export const tagBodySchema: z.ZodType<TagChanges & { tag: string }> = z.strictObject({
  tag: z.string().min(1).max(100).describe('In any case; no mail needs to have it'),
  ...tagMembers,
})

/** The changes of many mails. */
export const bulkRunsSchema: z.ZodType<{ changes: BulkProgress[] }> = z.strictObject({
  changes: z.array(bulkProgressSchema),
})

/** The body of `POST /dev/inbox/import`: bytes, which the inbox checks. */
export const messageSchema: z.ZodType<Uint8Array> = z.custom<Uint8Array>(
  (value) => value instanceof Uint8Array,
)

/** The result of an import. */
export const importedSchema: z.ZodType<{ id: string }> = z.strictObject({ id: z.string() })
