import { type Clock, systemClock } from '../core/clock.ts'
import { invalidOption } from '../core/errors.ts'
import { isRecord } from '../core/members.ts'
import { quote } from '../core/quote.ts'
import { readOptions, type Rows } from './read.ts'
import type { KindTypes } from './row.ts'
import { optionTable } from './table.ts'

type Table = typeof optionTable
/** The names of the options that only the command has. */
type CommandOnly = { [K in keyof Table]: Table[K] extends { command: true } ? K : never }[keyof Table]

/** The type of an option's value, from its row: by its members, its choices, or its kind. */
type ValueOf<R> = R extends { members: infer M }
  ? { -readonly [K in keyof M]?: ValueOf<M[K]> }
  : R extends { values: readonly (infer V)[] }
    ? V
    : R extends { kind: infer K extends keyof KindTypes }
      ? KindTypes[K]
      : never

/** The same once the defaults are filled in. */
type FilledOf<R> = R extends { members: infer M }
  ? Filled<M>
  : ValueOf<R> | (R extends { default: null } ? null : never)

// Mapped from the table member by member, so that editors show the comments of its rows.
type OptionsOf<T> = { -readonly [K in keyof T]?: ValueOf<T[K]> }
type Filled<T> = { -readonly [K in keyof T]: FilledOf<T[K]> }

/**
 * Options of {@link createLocalpost}; every one may be left out.
 *
 * @interface
 */
export type LocalpostOptions = Pick<OptionsOf<Table>, Exclude<keyof Table, CommandOnly>>

/** Options of the command: those of the library and its own. */
export interface CommandOptions extends OptionsOf<Table> {}

/** The options with every default filled in. */
export interface Config extends Omit<Filled<Table>, CommandOnly | 'limits' | 'dns' | 'clock'> {
  clock: Clock
  limits: Limits
  dns: Filled<Table['dns']['members']> & { feedbackHost: string }
}

/** {@link LocalpostOptions.limits} with every default filled in. */
export type Limits = Filled<Table['limits']['members']> & { smtpClientsPerAddress: number }

/** Checks the options and fills in the defaults. @param defaults  Those of the process. @throws invalid_option */
export function resolveOptions(
  options: LocalpostOptions = {},
  defaults: { keepAlive: boolean } = { keepAlive: true },
): Config {
  if (!isRecord(options))
    throw invalidOption(
      `The options of an instance are an object such as { strict: true }, not ${quote(options)}.`,
    )
  const given = { ...defaults, ...readOptions(options, rowsOfLibrary) }
  // Each member was checked by its row, and its type follows from the same row.
  const filled = withDefaults(given, rowsOfLibrary) as FilledRows
  assertCombination(filled)
  const { limits, dns, clock } = filled
  return {
    ...filled,
    clock: clock ?? systemClock,
    limits: {
      ...limits,
      smtpClientsPerAddress: limits.smtpClientsPerAddress ?? Math.ceil(limits.smtpClients * 0.9),
    },
    dns: { ...dns, feedbackHost: dns.feedbackHost ?? `feedback-smtp.${dns.region}.amazonses.com` },
  }
}

/** The options with the defaults of their rows, but without those that depend on other options. */
type FilledRows = Omit<Filled<Table>, CommandOnly>

/** Refuses options that exclude each other, or that need another one. @throws invalid_option */
function assertCombination({ dir, store, relay, relayAll, oidc }: FilledRows): void {
  if (relayAll && relay === null)
    throw invalidOption('relayAll needs a relay: give `relay: "smtp://host:port"` too.')
  if (dir !== null && store !== null)
    throw invalidOption(
      'The options dir and store exclude each other: give a folder or a database, not both.',
    )
  const { issuer, clientId, clientSecret } = oidc
  if (issuer !== null && clientId === null)
    throw invalidOption('Option "oidc.issuer" (--oidc-issuer) needs "oidc.clientId" (--oidc-client-id).')
  if (issuer === null && (clientId !== null || clientSecret !== null))
    throw invalidOption('Option "oidc" needs "oidc.issuer" (--oidc-issuer), the URL of the provider.')
}

/** The table, typed as rows, so that the compiler checks each of them. */
export const allRows: Rows = optionTable
const rowsOfLibrary: Rows = Object.fromEntries(Object.entries(allRows).filter(([, row]) => !row.command))

function withDefaults(given: object, rows: Rows): object {
  const values: Partial<Record<string, unknown>> = { ...given }
  const filled = Object.entries(rows).map(([name, row]) => {
    const value = values[name]
    if (row.members) return [name, withDefaults(Object(value ?? {}), row.members)]
    // A copy, because an instance may keep and change it.
    return [name, value ?? (Array.isArray(row.default) ? [...row.default] : row.default)]
  })
  return Object.fromEntries(filled)
}
