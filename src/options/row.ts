import type { Clock } from '../core/clock.ts'
import type { RuleInput } from '../rules/types.ts'
import type { WebhookInput } from '../webhooks/types.ts'
import type { Notice } from './notice.ts'

/** The type of an option's value, by the kind of its row. kinds.ts defines the valid values. */
export interface KindTypes {
  text: string
  folder: string
  file: string
  hostname: string
  /** One label of a DNS name, without dots. */
  label: string
  nameOrNull: string | null
  /** http or https. */
  url: string
  /** A `url` with a place for the id of a trace. */
  urlTemplate: string
  /** A `url` that may have a password, so no message quotes it. */
  secretUrl: string
  /** A `url` of an OpenID provider: https, except on this machine. */
  issuer: string
  secret: string
  /** A URL of a mail server. */
  relay: string
  /** A URL of a database. */
  store: string
  /** A host and a port. */
  endpoint: string
  /** One of the `values` of the row. */
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
  /** A private key and its certificate in PEM. */
  certificate: { key: string; cert: string }
  /** False, true for a certificate that Localpost makes, or an own `certificate`. */
  switchOrCertificate: boolean | { key: string; cert: string }
  rateLimit: { requests: number; perMs: number }
  webhooks: WebhookInput[]
  rules: RuleInput[]
  noticeHandler: (notice: Notice) => void
  clock: Clock
  seed: string | number
  group: object
}

/** One option; see the table. */
export type Row = { [K in keyof KindTypes]: RowOf<K> }[keyof KindTypes]

interface RowOf<K extends keyof KindTypes> {
  readonly kind: K
  /** The value of an option that is not given; null means none. A group has none: its members have their own. */
  readonly default?: K extends 'group' ? undefined : Readonly<KindTypes[K]> | null
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
  readonly values?: K extends 'choice' ? readonly string[] : undefined
  /** The smallest and the largest valid number. Default: those of the kind. */
  readonly min?: K extends 'count' | 'ms' ? number : undefined
  readonly max?: K extends 'count' ? number : undefined
  /** The options of a `group`. */
  readonly members?: K extends 'group' ? Readonly<Record<string, Row>> : undefined
}
