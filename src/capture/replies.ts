import { isNoRoom } from '../core/byte-budget.ts'
import { isErrorOf } from '../core/errors.ts'
import type { SmtpProblemKind } from '../inbox/smtp-session-types.ts'

/** An SMTP reply of 400 or more, in the form that smtp-server expects from a handler. */
export class Refusal extends Error {
  /** See RFC 5321; 421 closes the connection. */
  readonly responseCode: number
  /** The problem that the log of sessions shows. Null: the reply code and the command tell it. */
  readonly problem: SmtpProblemKind | null

  /** @param text  Begins with an enhanced status code (RFC 3463), where the reply has one. */
  constructor(responseCode: number, text: string, problem: SmtpProblemKind | null = null) {
    super(text)
    this.responseCode = responseCode
    this.problem = problem
  }
}

/** Whether a reply text begins with an enhanced status code. */
export function hasEnhancedCode(replyCode: number, text: unknown): boolean {
  return (
    typeof text === 'string' &&
    /^[245]\.\d{1,3}\.\d{1,3} /.test(text) &&
    text.startsWith(String(replyCode).charAt(0))
  )
}

/** The reply to a step that failed. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isErrorOf(error, 'store_full')) return new Refusal(452, '4.3.1 The disk is full, nothing was stored')
  if (isNoRoom(error))
    return new Refusal(452, '4.3.1 Too much mail is waiting to be stored, try again in a moment')
  if (isErrorOf(error, 'closed')) return new Refusal(421, '4.3.2 Localpost is closing', 'closing')
  // The account was removed.
  if (isErrorOf(error, 'not_found')) return lostAccess()
  if (isErrorOf(error, 'message_too_large')) return messageTooLarge()
  if (isErrorOf(error, 'store_unknown'))
    return new Refusal(451, '4.3.0 It is not known whether the message was stored, try again')
  if (isErrorOf(error, 'service_unavailable'))
    return new Refusal(451, '4.3.0 The message cannot be stored now, try again in a moment')
  return new Refusal(451, '4.3.0 The message could not be stored, try again')
}

export function messageTooLarge(): Refusal {
  return new Refusal(552, '5.3.4 The message is too large')
}

/** The reply to a session whose key, password or account has ended. It closes the connection. */
export function lostAccess(): Refusal {
  return new Refusal(421, '4.7.0 The credentials of this session are no longer valid, connect with others')
}

/** The kinds of AUTH that are offered. */
export const authMethods: readonly string[] = ['PLAIN', 'LOGIN']

/** The refusal of a command that smtp-server would accept or answer with 500; else null. @param name  In upper case. */
export function refusedCommand(
  name: string,
  line: string,
  { hasStartTls, isInTransaction }: { hasStartTls: boolean; isInTransaction: boolean },
): Refusal | null {
  if (unimplemented.has(name) || (name === 'STARTTLS' && !hasStartTls))
    return new Refusal(502, `5.5.1 ${name} is not implemented`)
  if (withoutArguments.has(name) && line.trimEnd().length > name.length)
    return new Refusal(501, `5.5.4 Syntax: ${name} without arguments`)
  // RFC 4954 section 4.
  if (name === 'AUTH' && isInTransaction)
    return new Refusal(503, '5.5.1 AUTH is not permitted during a mail transaction, end it with RSET')
  // RFC 4422 section 3.1.
  const mechanism = /^AUTH +([\w-]{1,20})(?: |$)/i.exec(line)?.[1]?.toUpperCase()
  if (mechanism !== undefined && !authMethods.includes(mechanism))
    return new Refusal(
      504,
      `5.5.4 AUTH ${mechanism} is not offered, use ${authMethods.join(' or ')}`,
      'auth_unsupported',
    )
  return null
}

/** Whether a line is the beginning of an HTTP request. */
export function isHttpRequest(line: string): boolean {
  return /^[A-Z]{3,10} \S+ HTTP\/\d(?:\.\d)?$/.test(line)
}

/** Commands of SMTP, its extensions and predecessors that this server lacks: their reply is 502, not 500. */
const unimplemented: ReadonlySet<string> = new Set(
  'EXPN BDAT ETRN ATRN TURN SEND SOML SAML BURL XCLIENT XFORWARD'.split(' '),
)

/** Commands whose arguments are refused, because the client would expect them to have an effect. */
const withoutArguments: ReadonlySet<string> = new Set(['DATA', 'RSET'])

/** The lines of a reply, whose text may have input of a client in it. @param enhancedCode  `""` for none. */
export function linesOfReply(code: number, enhancedCode: string, texts: readonly string[]): string[] {
  const prefix = enhancedCode === '' ? '' : `${enhancedCode} `
  // A dash means that more lines follow.
  return texts.map(
    (text, i) => `${code}${i < texts.length - 1 ? '-' : ' '}${prefix}${text.replace(controls, ' ')}`,
  )
}

const controls = /[\x00-\x1f\x7f-\x9f]/g
