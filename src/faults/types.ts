// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The methods that a fault can name. */
export type HttpFaultMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A step of an SMTP submission: `connect` is the greeting, `ehlo` also HELO, `end` what follows the final dot. */
export type SmtpStage = 'connect' | 'ehlo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end'

/** When a fault applies. */
export interface FaultChance {
  /** The number of matching requests or commands; in answers, how many are left. Default: all. */
  count?: number
  /** The share of those that it applies to; the seed selects which ones. Default: 1. */
  rate?: number
}

/** A failure of requests to `/v1` and to the APIs of providers: `status`, `disconnect`, or only a delay. */
export interface HttpFault extends FaultChance {
  /**
   * A path of `/v1` or of the API of a provider, such as `/resend/emails`, without the query; `*`
   * matches any characters.
   */
  path: string
  /** Default: every method. */
  method?: HttpFaultMethod
  /** The status of the error answer. */
  status?: number
  /** Waits first: milliseconds, at most 60,000. */
  delay_ms?: number
  /** Closes the connection without an answer. */
  disconnect?: boolean
}

/** A failure of submissions: `code`, `disconnect`, or only a delay. */
export interface SmtpFault extends FaultChance {
  /** `connect` is the greeting, `end` what follows the final dot. */
  stage: SmtpStage
  /** 400 to 599; 421 also closes the connection. */
  code?: number
  /** The text of the reply, one line. */
  text?: string
  /** Waits first: milliseconds, at most 60,000. */
  delay_ms?: number
  /** Closes the connection without a reply. */
  disconnect?: boolean
}

/** How many requests to `/v1` and to the APIs of providers a key may make in a period. */
export interface FaultRateLimit {
  /** How many requests to `/v1` and to the APIs of providers a key may make. */
  requests: number
  /** The length of the period in milliseconds. */
  per_ms: number
}

/** The faults to set: the body of `PUT /dev/faults`. */
export interface FaultsInput {
  /** For requests to `/v1` and to the APIs of providers; the first that applies counts. */
  http?: HttpFault[]
  /** For submissions, never for deliveries. */
  smtp?: SmtpFault[]
  rate_limit?: FaultRateLimit | null
  /** The same seed selects the same requests and commands. Default: a random one, which is shown. */
  seed?: number
}

/** The faults with the counts that are left. */
export interface FaultsState {
  http: HttpFault[]
  smtp: SmtpFault[]
  rate_limit: FaultRateLimit | null
  seed: number
}
