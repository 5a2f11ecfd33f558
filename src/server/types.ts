// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { FaultsState } from '../faults/types.ts'

/** The answer of `GET /dev/health`. */
export interface Health {
  /**
   * `ok` and `disk_low` come with status 200, all others with 503. `disk_low`: mail is accepted, but the
   * disk of the data folder is almost full. `refusing`: new mail is refused, because the data folder
   * cannot be written. `warnings` says why.
   */
  status: 'starting' | 'ok' | 'disk_low' | 'refusing' | 'closing'
  version: string
  /** Where the data is. */
  store: 'memory' | 'folder' | 'postgresql'
  /** How the database is, where the data is in one. */
  database?: {
    schema: string
    /**
     * How searches find words: by an index of trigrams, or by looking at the text of each mail, where the
     * extension pg_trgm is missing.
     */
    search: 'trigrams' | 'scan'
    /** How many instances use the schema; null while the database does not answer. */
    instances: number | null
    /** How long one statement took, in milliseconds. */
    round_trip_ms: number | null
    /** Whether this instance is the leader, which delivers and removes mail for all instances. */
    has_turn: boolean
    /** The number of the last commit that this instance knows. */
    last_commit: number
    connections: {
      used: number
      idle: number
      waiting: number
    }
  }
  smtp: {
    host: string
    port: number
    /** Whether STARTTLS is offered. */
    starttls: boolean
    /** Whether clients must log in; the password is an API key. It holds for the port of `smtps` too. */
    login: 'optional' | 'required'
  }
  /** The SMTP port that begins with TLS, where one is open. */
  smtps?: {
    host: string
    port: number
  }
  /**
   * The authority (CA) of the certificate that Localpost made for SMTP, which `GET /dev/ca.pem` answers;
   * null without such a certificate.
   */
  ca: {
    /** The file with it, on the machine of the server; null if it is only in memory. */
    file: string | null
  } | null
  /** Base URL of the listener; null in process. */
  url: string | null
  /** Base URL of the addresses in tracked mail: the option `publicUrl`, else `url`. */
  tracking_url: string | null
  /** The page of a trace, with `{trace_id}` for its id: the option `traceUrl`. */
  trace_url: string | null
  /** How many of each kind are stored; null while the database does not answer. */
  counts: {
    emails: number
    domains: number
    audiences: number
    contacts: number
    templates: number
  } | null
  faults: FaultsState | null
  /** Whether mail can be released to real addresses: there is a relay. */
  relay: boolean
  /**
   * Connections to the HTTP port that sent nothing for three seconds or longer, where no mail came after
   * them. An SMTP client at the wrong port waits like this for a greeting; browsers open such
   * connections too.
   */
  silent_connections: {
    /** At most 100. */
    count: number
    /** When the last one began: Unix time in milliseconds. */
    last: number
  } | null
  /** Warnings that a person should see, in sentences. */
  warnings: string[]
}

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
