import type { z } from 'zod'
import { broadcastRequestSchema } from '../broadcasts/schema.ts'
import { parseJsonBody } from '../core/json-body.ts'
import { parseInput } from '../core/validate.ts'
import { withoutConnections } from '../mime/html/without-connections.ts'
import { shownHtmlSchema, templateInputSchema, templateRenderingSchema } from '../templates/schema.ts'

/** The name of the schema of a long body, for the thread. */
export type LongBodyKind = 'template' | 'html' | 'rendering' | 'broadcast'

/** The bodies that may be long and hold a few texts. What the schema returns is small but for these. */
const schemas: Readonly<Record<LongBodyKind, z.ZodType>> = {
  template: templateInputSchema,
  html: shownHtmlSchema,
  rendering: templateRenderingSchema,
  broadcast: broadcastRequestSchema,
}

/** The reading of long bodies, and the cleaning of long HTML, as work of the thread. */
export const bodyJobs = {
  /** @throws as `parseJsonBody` and `parseInput`. */
  body: (bytes: Buffer, kind: LongBodyKind): unknown =>
    parseInput<unknown>(schemas[kind], parseJsonBody(bytes)),
  /** HTML as a preview may show it. */
  safeHtml: (html: string): string => withoutConnections(html),
}
