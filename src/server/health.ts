import { z } from 'zod'
import type { FaultsState } from '../faults/types.ts'
import { faultsSchema } from '../faults/schema.ts'
import type { Counts, ServerDeps, ServerState } from './deps.ts'
import { smtpSchema } from './schemas.ts'

/** The answer of `/dev/health`. */
export interface Health extends ServerState {
  version: string
  /** Base URL of the listener; null in process. */
  url: string | null
  counts: Counts
  /** What goes wrong on purpose, with the counts that are left; null for nothing. */
  faults: FaultsState | null
}

/** @see {@link Health} */
export const healthSchema: z.ZodType<Health> = z.strictObject({
  status: z.enum(['starting', 'ok', 'closing']).describe('Anything but `ok` comes with status 503'),
  version: z.string(),
  smtp: smtpSchema,
  url: z.string().nullable().describe('Base URL of the listener; null in process'),
  counts: z.strictObject({
    emails: z.int(),
    domains: z.int(),
    audiences: z.int(),
    contacts: z.int(),
    templates: z.int(),
  }),
  faults: faultsSchema,
  warnings: z.array(z.string()).describe('Warnings that a person should see, in sentences'),
})

/** What there is, and whether it works. */
export async function readHealth(
  deps: Pick<ServerDeps, 'counts' | 'state' | 'listener' | 'version' | 'faults'>,
): Promise<Health> {
  const { status, smtp, warnings } = deps.state()
  return {
    status,
    version: deps.version,
    smtp: { host: smtp.host, port: smtp.port },
    url: deps.listener()?.url ?? null,
    counts: await deps.counts(),
    faults: deps.faults.state(),
    warnings,
  }
}
