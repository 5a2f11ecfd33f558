import { z } from 'zod'
import type { LoggedRequest } from './types.ts'

/** One request to `/v1`, or send of the library, as `/dev/requests` shows it. Keys are masked everywhere. */
export const loggedRequestSchema: z.ZodType<LoggedRequest> = z.strictObject({
  id: z.string(),
  source: z
    .enum(['http', 'library'])
    .describe('How it came; a send of the library is logged as the same request'),
  timestamp: z.int().describe('Unix time in milliseconds'),
  method: z.string().describe('`TLS`, `SMTP` or `HTTP` where a client spoke the wrong protocol to the port'),
  path: z.string().describe('With its query; `""` for another protocol'),
  status: z.int().describe('0 if an injected fault closed the connection'),
  duration_ms: z.number(),
  api_key: z.string().nullable().describe('The first characters of the key'),
  warnings: z.array(z.string()).describe('Problems of a request that was accepted'),
  request_body: z.string().nullable().describe('At most 16 KiB; null if none was read'),
  response_body: z.string().nullable().describe('At most 16 KiB'),
})
