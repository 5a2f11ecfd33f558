import type { SMTPServerOptions } from 'smtp-server'

/** The facts of a session that the reply to EHLO depends on. */
export interface HelloSession {
  secure: boolean
  /** Whether the client has authenticated. */
  isKnown: boolean
}

/**
 * The lines of the reply to EHLO: the server's name, and each extension it offers, as smtp-server writes them.
 *
 * @see RFC 5321 section 4.1.1.1, and the RFC of each extension
 */
export function helloLines(
  { name = '', heloResponse = '', authMethods = [], disabledCommands = [], size }: SMTPServerOptions,
  { secure, isKnown }: HelloSession,
): string[] {
  return [
    heloResponse.replace('%s', name),
    'PIPELINING',
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'DSN',
    ...(isKnown ? [] : [`AUTH ${authMethods.join(' ')}`]),
    ...(secure || disabledCommands.includes('STARTTLS') ? [] : ['STARTTLS']),
    `SIZE ${size}`,
  ]
}
