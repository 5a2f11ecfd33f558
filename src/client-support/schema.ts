import { z } from 'zod'
import type { ClientScore, ClientSupport, MailPreview, RemovedFeature, SupportedFeature } from './types.ts'

const places = z
  .array(z.strictObject({ line: z.int().describe('Line of the HTML, from 1 on'), snippet: z.string() }))
  .describe('The first 20 places')

/** How well a client supports what a mail uses. */
export const clientScoreSchema: z.ZodType<ClientScore> = z.strictObject({
  client: z.string().describe('Its key, as `gmail/ios`'),
  name: z.string(),
  score: z.number().describe('0 to 100; a feature that it supports partly counts half'),
})

/** A feature of HTML or CSS that a mail uses, and the clients that do not support it. */
export const supportedFeatureSchema: z.ZodType<SupportedFeature> = z.strictObject({
  slug: z.string().describe('Its name in Can I email, as `css-display-flex`'),
  title: z.string(),
  category: z.string().describe('`css`, `html`, `image` or `others`'),
  url: z.string().describe('Its page, with notes and versions'),
  count: z.int().describe('How often the mail uses it'),
  places,
  unsupported: z.array(z.string()).describe('The keys of the clients that ignore it'),
  partial: z.array(z.string()).describe('The keys of the clients that support it partly'),
})

/** How mail clients support what a mail uses. */
export const clientSupportSchema: z.ZodType<ClientSupport> = z.strictObject({
  score: z.number().describe('0 to 100: the mean of the clients, weighted by their shares'),
  clients: z.array(clientScoreSchema),
  features: z
    .array(supportedFeatureSchema)
    .describe('The features that the mail uses, in the order of their first use'),
})

/** A part of a mail that a client ignores: a feature, or the subject of a rule of the client. */
export const removedFeatureSchema: z.ZodType<RemovedFeature> = z.strictObject({
  feature: z
    .string()
    .describe('Its name in Can I email, as `css-position`, or that of a rule, as `style-limit`'),
  title: z.string(),
  url: z.string().nullable().describe('Its page in Can I email; null for a rule'),
  count: z.int().describe('How often it was removed'),
  places,
})

/** The HTML of a mail without what a mail client ignores. */
export const mailPreviewSchema: z.ZodType<MailPreview> = z.strictObject({
  client: z.string().describe('Its key, as `gmail/ios`'),
  name: z.string(),
  note: z.string().describe('Says that it is an approximation'),
  html: z.string().describe('What is left; `/dev/inbox/{id}/html?client=` has it for a frame'),
  removed: z.array(removedFeatureSchema),
})
