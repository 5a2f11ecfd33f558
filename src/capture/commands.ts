/**
 * The reply to a command that is refused in any state of the session, as code and text; null for a command that
 * smtp-server handles.
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

/**
 * Commands of SMTP, its extensions and its predecessors that this server does not have. They are known, so the reply is
 * 502 and not 500.
 */
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

/** Commands whose arguments are refused, because the client would expect them to have an effect. */
const bare: ReadonlySet<string> = new Set(['DATA', 'RSET'])

/**
 * The first parameter of MAIL or RCPT that no offered extension defines; null if there is none. The reply to it is 555
 * (RFC 5321 section 4.1.1.11).
 *
 * @param given  The names of the parameters, in upper case.
 */
export function unknownParameter(command: 'MAIL' | 'RCPT', given: object): string | null {
  return Object.keys(given).find((name) => !parameters[command].has(name)) ?? null
}

/** The parameters of the extensions that EHLO offers: RFC 1870, 6152, 6531, 3461 and 4954. */
const parameters: Readonly<Record<'MAIL' | 'RCPT', ReadonlySet<string>>> = {
  MAIL: new Set(['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'AUTH']),
  RCPT: new Set(['NOTIFY', 'ORCPT']),
}
