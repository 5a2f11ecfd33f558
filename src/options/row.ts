import type { Clock } from '../core/clock.ts'
import type { RuleInput } from '../rules/types.ts'
import type { WebhookInput } from '../webhooks/types.ts'
import type { Notice } from './notice.ts'

/** The type of an option's value, by the kind of its row. */
export interface KindTypes {
  text: string
  folder: string
  file: string
  hostname: string
  label: string
  nameOrNull: string | null
  url: string
  urlTemplate: string
  secretUrl: string
  issuer: string
  secret: string
  relay: string
  store: string
  endpoint: string
  choice: string
  switch: boolean
  port: number
  count: number
  ms: number
  delays: number[]
  texts: string[]
  keys: string[]
  destinations: string[]
  ranges: string[]
  certificate: { key: string; cert: string }
  tls: boolean | { key: string; cert: string }
  rateLimit: { requests: number; perMs: number }
  webhooks: WebhookInput[]
  rules: RuleInput[]
  noticeHandler: (notice: Notice) => void
  clock: Clock
  seed: string | number
  group: object
}

/** One option; see the table. */
export interface Row {
  readonly kind: keyof KindTypes
  /** The value of an option that is not given; null means none. A group has none: its members have their own. */
  readonly default?: unknown
  /** The value that the command passes to the library if none is given. */
  readonly commandDefault?: string | number
  /** Set if only the command has it, not the library. */
  readonly command?: true
  /** The name of its flag without the leading dashes: `smtp-port`. Its variable is then `LOCALPOST_SMTP_PORT`. */
  readonly flag?: string
  /** Set for the few options that most people use: `--help` lists these, `--help all` every one. */
  readonly often?: true
  /** How the help shows the value of the flag. Default: the kind's. */
  readonly hint?: string
  /** The description: one line for `--help` and docs/cli.md. */
  readonly help: string
  /** The valid values, for errors. Default: those of the kind. */
  readonly takes?: string
  /** A valid entry of a list, for errors about a flag. */
  readonly each?: string
  /** The valid values of a `choice`. */
  readonly values?: readonly string[]
  readonly min?: number
  readonly max?: number
  /** The options of a `group`. */
  readonly members?: Readonly<Record<string, Row>>
}
