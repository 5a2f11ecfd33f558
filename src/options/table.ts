import type { Rows } from './read.ts'
import { accessRows } from './rows/access.ts'
import { checksRows } from './rows/checks.ts'
import { dataRows } from './rows/data.ts'
import { domainsRows } from './rows/domains.ts'
import { generalRows } from './rows/general.ts'
import { libraryRows } from './rows/library.ts'
import { outgoingRows } from './rows/outgoing.ts'
import { sendingRows } from './rows/sending.ts'
import { serverRows } from './rows/server.ts'
import { smtpRows } from './rows/smtp.ts'

/** The rows by the heading under which the help lists their flags. An interface, so that declarations name them. */
interface Sections {
  Server: typeof serverRows
  Data: typeof dataRows
  Access: typeof accessRows
  SMTP: typeof smtpRows
  Sending: typeof sendingRows
  Domains: typeof domainsRows
  'Outgoing connections': typeof outgoingRows
  General: typeof generalRows
  Checks: typeof checksRows
  Library: typeof libraryRows
}

/** The intersection of the types in a union. */
type IntersectionOf<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer All) => void
  ? All
  : never

/**
 * The single definition of every option, by the heading under which the help lists its flag. A row defines the type, the
 * default and the check in the library and in configuration files, the flag, the LOCALPOST_* variable, `--help` and
 * docs/cli.md. Editors show the comment of a row.
 *
 * Rows are plain literals, so that the types of the package keep the comments. `kind` (see kinds.ts) defines the valid
 * values; `command: true` marks options that only the command has, not the library.
 */
export const optionSections: Sections & Readonly<Record<string, Rows>> = {
  Server: serverRows,
  Data: dataRows,
  Access: accessRows,
  SMTP: smtpRows,
  Sending: sendingRows,
  Domains: domainsRows,
  'Outgoing connections': outgoingRows,
  General: generalRows,
  Checks: checksRows,
  Library: libraryRows,
}

/** Every option by its name. */
export const optionTable: IntersectionOf<Sections[keyof Sections]> = Object.assign(
  {},
  ...Object.values(optionSections),
)
