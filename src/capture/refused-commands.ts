import { Refusal } from './replies.ts'

/** The kinds of AUTH that are offered. */
export const authMethods: readonly string[] = ['PLAIN', 'LOGIN']

/** The SASL mechanism of an AUTH command (RFC 4422 section 3.1), in upper case; null if it names none. */
function mechanismOf(line: string): string | null {
  return /^AUTH +([\w-]{1,20})(?: |$)/i.exec(line)?.[1]?.toUpperCase() ?? null
}

/**
 * The refusal of a command that smtp-server would accept, or answer with 500; null for all others.
 *
 * @param name  In upper case.
 */
export function refusedCommand(
  name: string,
  line: string,
  { hasStartTls, isInTransaction }: { hasStartTls: boolean; isInTransaction: boolean },
): Refusal | null {
  if (unimplemented.has(name) || (name === 'STARTTLS' && !hasStartTls))
    return new Refusal(502, `5.5.1 ${name} is not implemented`)
  if (bare.has(name) && line.trimEnd().length > name.length)
    return new Refusal(501, `5.5.4 Syntax: ${name} without arguments`)
  // RFC 4954 section 4.
  if (name === 'AUTH' && isInTransaction)
    return new Refusal(503, '5.5.1 AUTH is not permitted during a mail transaction, end it with RSET')
  const mechanism = name === 'AUTH' ? mechanismOf(line) : null
  if (mechanism !== null && !authMethods.includes(mechanism))
    return new Refusal(
      504,
      `5.5.4 AUTH ${mechanism} is not offered, use ${authMethods.join(' or ')}`,
      'auth_unsupported',
    )
  return null
}

/**
 * Commands of SMTP, its extensions and its predecessors that this server does not have. They are known, so the reply is
 * 502 and not 500.
 */
const unimplemented: ReadonlySet<string> = new Set(
  'EXPN BDAT ETRN ATRN TURN SEND SOML SAML BURL XCLIENT XFORWARD'.split(' '),
)

/** Commands whose arguments are refused, because the client would expect them to have an effect. */
const bare: ReadonlySet<string> = new Set(['DATA', 'RSET'])
