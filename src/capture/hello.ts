import type { SMTPServerOptions } from 'smtp-server'

/** What makes the answer to one EHLO differ from that to another. */
export interface HelloSession {
  secure: boolean
  /** Whether it has authenticated. */
  isKnown: boolean
}

/**
 * The lines that answer EHLO: who speaks, and each extension that the server has, as smtp-server names them.
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
