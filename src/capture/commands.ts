/**
 * Why a command cannot be taken whatever the state of the session is, as code and text of its reply; null for a
 * command that smtp-server decides over.
 *
 * @param name  In upper case.
 * @param hasStartTls  Whether this server offers STARTTLS.
 */
export function refusedCommand(
  name: string,
  line: string,
  hasStartTls: boolean,
): readonly [code: number, text: string] | null {
  if (unimplemented.has(name) || (name === 'STARTTLS' && !hasStartTls))
    return [502, `5.5.1 ${name} is not implemented`]
  if (bare.has(name) && line.trimEnd().length > name.length) {
    return [501, `5.5.4 Syntax: ${name} without arguments`]
  }
  return null
}

/** Commands of RFC 5321, its extensions and its predecessors that are answered 502, not 500: they are known. */
const unimplemented: ReadonlySet<string> = new Set([
  'EXPN',
  'BDAT',
  'ETRN',
  'ATRN',
  'TURN',
  'SEND',
  'SOML',
  'SAML',
  'BURL',
  'XCLIENT',
  'XFORWARD',
])

/** Commands that take no argument, where one would mean something else than the client gets. */
const bare: ReadonlySet<string> = new Set(['DATA', 'RSET'])

/**
 * The first parameter of MAIL or RCPT that no offered extension defines; null where there is none. RFC 5321 section
 * 4.1.1.11: it is answered 555.
 *
 * @param given  The names of the parameters, in upper case.
 */
export function unknownParameter(command: 'MAIL' | 'RCPT', given: object): string | null {
  return Object.keys(given).find((name) => !parameters[command].has(name)) ?? null
}

/** By RFC 1870, 6152, 6531, 3461 and 4954: the extensions that EHLO offers. */
const parameters: Readonly<Record<'MAIL' | 'RCPT', ReadonlySet<string>>> = {
  MAIL: new Set(['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'AUTH']),
  RCPT: new Set(['NOTIFY', 'ORCPT']),
}
