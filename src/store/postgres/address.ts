import { invalidOption, LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'

/** Where a store in PostgreSQL is. */
export interface StoreAddress {
  /** For the driver: without the parameters that only Localpost understands. */
  readonly url: string
  readonly schema: string
  /** For people: without user, password and parameters. */
  readonly shown: string
}

/** Whether a text is meant as the URL of a store in PostgreSQL, and not as the path of a folder. */
export function isStoreUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text)
}

/** Reads the URL of a store: `postgres://user:password@host:port/database?schema=name`. @throws invalid_option. */
export function parseStoreUrl(text: string): StoreAddress {
  const wrong = (why: string): LocalpostError =>
    invalidOption(`The URL of the store ${why}. It looks like postgres://user:password@host:5432/database.`)
  if (!URL.canParse(text)) throw wrong('cannot be read')
  const url = new URL(text)
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')
    throw wrong(`begins with ${quote(url.protocol)}`)
  if (url.pathname.length < 2) throw wrong('names no database')
  const schema = url.searchParams.get('schema') ?? 'localpost'
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    throw wrong(
      `names the schema ${quote(schema)}; it takes lower-case letters, digits and _, and no pg_ at the beginning`,
    )
  url.searchParams.delete('schema')
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  shown.search = ''
  return { url: url.href, schema, shown: shown.href }
}

/** The URL of a store for people; see {@link StoreAddress.shown}. */
export function shownAddress(text: string): string {
  return parseStoreUrl(text).shown
}

/** The error for a database that must not be used by others now. */
export function inUse(shown: string): LocalpostError {
  return new LocalpostError(
    'store_in_use',
    `The database ${shown} is used by a running Localpost. Stop all its instances first.`,
  )
}
