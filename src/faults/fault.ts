/** When a fault strikes. */
export interface FaultChance {
  /** Only the next so many requests or commands that it fits; in an answer: how many are left. Default: all. */
  count?: number
  /** Which share of those it strikes, 0 to 1; which ones follows from the seed. Default: every one. */
  rate?: number
}

/** What goes wrong with requests to `/v1`: one of `status` and `disconnect`, or a delay alone. */
export interface HttpFault extends FaultChance {
  /** A path of `/v1`, with `*` for any characters. */
  path: string
  /** Default: every method. */
  method?: HttpFaultMethod
  /** 400 to 599: answered in the shape of every error. */
  status?: number
  /** Waits first: milliseconds, at most 60,000. */
  delay_ms?: number
  /** Closes the connection without an answer. */
  disconnect?: boolean
}

/** The methods that a fault can name. */
export type HttpFaultMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A step of an SMTP submission: `connect` is the greeting, `ehlo` also HELO, `end` what follows the final dot. */
export type SmtpStage = 'connect' | 'ehlo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end'

/** What goes wrong with submissions: one of `code` and `disconnect`, or a delay alone. */
export interface SmtpFault extends FaultChance {
  stage: SmtpStage
  /** 400 to 599; 421 also closes the connection. */
  code?: number
  /** One line. */
  text?: string
  /** Waits first: milliseconds, at most 60,000. */
  delay_ms?: number
  /** Closes the connection without a reply. */
  disconnect?: boolean
}

/** How many `/v1` requests a key may make in a period. */
export interface FaultRateLimit {
  requests: number
  per_ms: number
}

/** What is to go wrong, as it is given. */
export interface FaultsInput {
  http?: HttpFault[]
  smtp?: SmtpFault[]
  rate_limit?: FaultRateLimit | null
  /** 0 to 4,294,967,295: with the same one, the same requests and commands are struck. Default: one is made. */
  seed?: number
}

/** What goes wrong, with the counts that are left. */
export interface FaultsState {
  http: HttpFault[]
  smtp: SmtpFault[]
  rate_limit: FaultRateLimit | null
  seed: number
}
