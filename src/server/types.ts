// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** One request to `/v1`, or send of the library, as `/dev/requests` shows it. Keys are masked everywhere. */
export interface LoggedRequest {
  id: string
  /** How it came; a send of the library is logged as the same request. */
  source: 'http' | 'library'
  /** Unix time in milliseconds. */
  timestamp: number
  /** `TLS`, `SMTP` or `HTTP` where a client spoke the wrong protocol to the port. */
  method: string
  /** With its query; `""` for another protocol. */
  path: string
  /** 0 if an injected fault closed the connection. */
  status: number
  duration_ms: number
  /** The first characters of the key. */
  api_key: string | null
  /** Problems of a request that was accepted. */
  warnings: string[]
  /** At most 16 KiB; null if none was read. */
  request_body: string | null
  /** At most 16 KiB. */
  response_body: string | null
}
