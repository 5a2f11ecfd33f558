/** What a client did that no SMTP client should do, or that only its user can change. */
export type ClientFault = 'certificate' | 'handshake' | 'implicit-tls' | 'http'

/**
 * The notice for the operator.
 *
 * @param detail  What the TLS library says, for a fault of the handshake.
 */
export function describeClientFault(fault: ClientFault, address: string, detail: string): string {
  const said = detail === '' ? '' : ` (${detail})`
  switch (fault) {
    case 'certificate':
      return `An SMTP client at ${address} ${detail === '' ? 'left at the TLS handshake: most likely it does not accept' : 'did not accept'} the certificate of STARTTLS${said}. Make it trust the certificate, turn its check off, or give Localpost a certificate that it trusts with \`smtpTls\`.`
    case 'handshake':
      return `An SMTP client at ${address} asked for STARTTLS, and then failed its TLS handshake${said}. Check which TLS versions the client uses, and that it speaks TLS at all.`
    case 'implicit-tls':
      return `An SMTP client at ${address} began with TLS, but the SMTP port begins in the clear. Turn implicit TLS off in the client (\`secure: false\`, \`smtp://\`); for TLS use STARTTLS.`
    case 'http':
      return `An HTTP request came from ${address} to the SMTP port. Send it to the HTTP port.`
  }
}

/** Which fault of a client an error of its connection is; null for others. */
export function tlsFaultOf(error: NodeJS.ErrnoException): ClientFault | null {
  const text = `${error.code ?? ''} ${error.message}`
  if (/alert[_ ].*(?:unknown[_ ]ca|certificate)/i.test(text)) return 'certificate'
  return /\bERR_SSL_|\bEPROTO\b|\bTLSError\b|:SSL routines:/.test(text) ? 'handshake' : null
}

/** Whether a line is the beginning of an HTTP request. */
export function isHttpRequest(line: string): boolean {
  return /^[A-Z]{3,10} \S+ HTTP\/\d(?:\.\d)?$/.test(line)
}

/** Whether octets in place of a command are a TLS handshake record: RFC 8446 section 5.1. */
export function isTlsRecord(bytes: Uint8Array): boolean {
  return bytes[0] === 0x16 && bytes[1] === 0x03
}
