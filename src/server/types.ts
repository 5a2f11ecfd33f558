// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { FaultsState } from '../faults/types.ts'

/** The answer of `/dev/health`. */
export interface Health {
  /**
   * `ok` and `disk_low` come with status 200, all others with 503. `disk_low`: mail is accepted, but the
   * disk of the data folder is almost full. `refusing`: new mail is refused, because the data folder
   * cannot be written. `warnings` says why.
   */
  status: 'starting' | 'ok' | 'disk_low' | 'refusing' | 'closing'
  version: string
  smtp: {
    host: string
    port: number
  }
  /** Base URL of the listener; null in process. */
  url: string | null
  /** Base URL of the addresses in tracked mail: the option `publicUrl`, else `url`. */
  tracking_url: string | null
  counts: {
    emails: number
    domains: number
    audiences: number
    contacts: number
    templates: number
  }
  faults: FaultsState | null
  /** Warnings that a person should see, in sentences. */
  warnings: string[]
}

/** One request to `/v1`, or send of the library, as `/dev/requests` shows it. Keys are masked wherever they stand. */
export interface LoggedRequest {
  id: string
  /** How it came; a send of the library is logged as the same request. */
  source: 'http' | 'library'
  /** Unix time in milliseconds. */
  timestamp: number
  method: string
  /** With its query. */
  path: string
  /** 0 where an injected fault closed the connection. */
  status: number
  duration_ms: number
  /** The first characters of the key. */
  api_key: string | null
  /** What was accepted and yet looks wrong. */
  warnings: string[]
  /** At most 16 KiB; null where none was read. */
  request_body: string | null
  /** At most 16 KiB. */
  response_body: string | null
}
