/** One request to `/v1`, or send of the library, as `/dev/requests` shows it. Keys are masked wherever they stand. */
export interface LoggedRequest {
  id: string
  /** How it came: over HTTP, where `post.fetch` counts too, or as a send of the library. */
  source: 'http' | 'library'
  /** When it came: Unix time in milliseconds. */
  timestamp: number
  method: string
  /** With its query. */
  path: string
  /** 0 where a fault of `/dev/faults` closed the connection instead. */
  status: number
  duration_ms: number
  /** The first characters of the key; null without one. */
  api_key: string | null
  /** What was accepted and yet looks wrong: unknown members, placeholders without a variable. 500 characters each. */
  warnings: string[]
  /** At most 16 KiB; null where none was read. */
  request_body: string | null
  /** At most 16 KiB; null without one. */
  response_body: string | null
}
