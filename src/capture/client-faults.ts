import { tlsReason } from '../net/tls-words.ts'

/** A mistake of an SMTP client that only its user can fix; most have the name of the problem that sessions show. */
export type ClientFault =
  | 'certificate'
  | 'handshake'
  | 'no_handshake'
  | 'implicit_tls'
  | 'plain_text'
  | 'http'
  | 'credentials'
  | 'scope'

/** Where clients that are at the wrong port should go. */
export interface RightPorts {
  /** The port where plain text comes first, as `127.0.0.1:1025`. */
  smtp: string
  /** The port that begins with TLS; null without one. */
  smtps: string | null
  /** The URL of the HTTP listener; null without one. */
  http: string | null
  /** Whether the SMTP port offers STARTTLS. */
  hasStartTls: boolean
}

/** The notice for the operator. @param detail  The TLS library's message, or the quoted name of a refused user. */
export function describeClientFault(
  fault: ClientFault,
  address: string,
  detail: string,
  ports: RightPorts,
): string {
  const reason = tlsReason(detail) ?? detail
  const withReason = reason === '' ? '' : ` (${reason})`
  switch (fault) {
    case 'credentials':
      return `An SMTP client at ${address} was refused (535): user name ${detail}, and a password that is not valid. Use an API key as the password, with any user name; or the name of an account and its SMTP password.`
    case 'scope':
      return `An SMTP client at ${address} was refused (535): user name ${detail}, and an API key of scope "read" as the password. Use a key of scope "send" or "full".`
    case 'certificate':
      return `An SMTP client at ${address} ${detail === '' ? 'left at the TLS handshake: most likely it does not accept' : 'did not accept'} the certificate${withReason}. Make the client trust the certificate, turn off its certificate check, or give \`smtpTls\` or \`--tls-cert\` a certificate that the client trusts.`
    case 'handshake':
      return `An SMTP client at ${address} failed its TLS handshake${withReason}. Check which TLS versions the client uses, and that it speaks TLS at all.`
    case 'no_handshake':
      return `An SMTP client at ${address} was about to use TLS, and then ended the connection before its TLS handshake. Check that the client can use TLS, and that it was not stopped.`
    case 'implicit_tls':
      return `An SMTP client at ${address} began with TLS, but the SMTP port expects plain text first. Turn implicit TLS off in the client (\`secure: false\`, \`smtp://\`); ${tlsAdvice(ports)}`
    case 'plain_text':
      return `An SMTP client at ${address} sent or awaited plain text at the SMTPS port, where TLS begins at once. Turn implicit TLS on in the client (\`secure: true\`, \`smtps://\`), or send to the SMTP port, ${ports.smtp}.`
    case 'http':
      return `An HTTP request came from ${address} to the SMTP port. Send it to ${ports.http ?? 'the HTTP port'}.`
  }
}

/** The reply to an HTTP request. */
export function httpAtSmtp({ http }: RightPorts): string {
  return `This is the SMTP port; ${http === null ? 'send HTTP requests to the HTTP port' : `HTTP is at ${http}`}`
}

/** The reply to a client that speaks, or waits for, plain text where TLS begins at once. */
export function plainAtTls({ smtp }: RightPorts): string {
  return `TLS begins at once on this port; plain SMTP is at ${smtp}`
}

function tlsAdvice({ smtps, hasStartTls }: RightPorts): string {
  const ways = [
    ...(hasStartTls ? ['for TLS use STARTTLS'] : []),
    ...(smtps === null ? [] : [`TLS from the start is at ${smtps}`]),
  ]
  return `${ways.join('; ') || 'for TLS turn `smtpTls` on, or set `smtpsPort`'}.`
}
