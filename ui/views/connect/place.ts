/** The addresses and credentials by which an app reaches an instance. */
export interface Place {
  /** Of the page and the API, without a trailing slash. */
  base: string
  host: string
  port: number
  /** The API key; `""` if the server does not send it. */
  key: string
  /** The SMTP login; null if none is needed. */
  login: { user: string; password: string } | null
  /**
   * `none`: the server offers no TLS. `refused`: it offers STARTTLS, and the client must not use it. `starttls`: the client
   * must use it. `implicit`: TLS begins with the connection.
   */
  tls: 'none' | 'refused' | 'starttls' | 'implicit'
  /** Path of the file with the CA to trust; null if the client trusts it already, or without TLS. */
  ca: string | null
}

/** A client of SMTP or of the API, and how it reaches an instance. */
export interface Client {
  name: string
  /** The name of the language at the beginning of a block of code. */
  language: string
  /** Where the code goes, with a colon; null if it is a whole program. */
  where: string | null
  /** The program that sends one mail, or the configuration. */
  code(place: Place): string
  /** For SMTP: how it uses TLS, or does without, in Markdown. Each piece of code in it is part of `code` with that TLS. */
  notes: {
    /** TLS from the first byte. */
    implicit: string
    /** Without TLS, where STARTTLS is offered. */
    refused: string
    /** How it trusts the CA in a file, where that is not all in `code`. */
    trust?(ca: string): string
  } | null
}

/** The mail that programs send. */
export const mail = { from: 'app@acme.test', to: 'ada@example.com', text: 'Hello' }

/** The lines that apply; those that do not are false or null. */
export function lines(...given: readonly (string | false | null)[]): string {
  return given.filter((line) => typeof line === 'string').join('\n')
}

/** A text in single quotes, for JavaScript, Ruby and PHP. */
export const single = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** A text in double quotes, for Python, Go, Java, Rust and C#. */
export const double = (text: string): string => JSON.stringify(text)

/** A text for a POSIX shell. */
export const shell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** Whether TLS is used. */
export const isEncrypted = ({ tls }: Place): boolean => tls === 'starttls' || tls === 'implicit'

/** The host, with the brackets of an IPv6 address. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Host and port, with the brackets of an IPv6 address. */
export const address = ({ host, port }: Place): string => `${bracketed(host)}:${port}`
