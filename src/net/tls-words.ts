/**
 * Describes a failed TLS handshake in words. The message of the TLS library contains a number, a place in its source
 * code, and a short reason.
 *
 * @param message  Such as `C0A1…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl/record.c:354:`.
 * @returns null for a message of something other than OpenSSL.
 */
export function tlsReason(message: string): string | null {
  const [, reason = ''] = /:error:[0-9A-F]{6,}:[^:\n]*:[^:\n]*:([^:\n]{1,100})/i.exec(message) ?? []
  if (reason === '') return null
  for (const [pattern, words] of handshakeReasons) if (pattern.test(reason)) return words
  return `the TLS library says: ${reason}`
}

/** Whether an error is a failed handshake with a TLS client, and whether the client did not accept the certificate. */
export function tlsFaultOf(error: NodeJS.ErrnoException): 'certificate' | 'handshake' | null {
  const text = `${error.code ?? ''} ${error.message}`
  if (/alert[_ ].{0,200}(?:unknown[_ ]ca|certificate)/i.test(text)) return 'certificate'
  return /\bERR_SSL_|\bEPROTO\b|\bTLSError\b|:SSL routines:/.test(text) ? 'handshake' : null
}

/** Describes in words why the certificate of a server is not accepted; null for any other error. */
export function certificateReason(error: Error): string | null {
  const code = 'code' in error ? String(error.code) : ''
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return certificateReasons.get(code) ?? null
  const { host, cert } = error as { host?: unknown; cert?: { subjectaltname?: unknown } }
  const { subjectaltname } = cert ?? {}
  const names = typeof subjectaltname === 'string' ? subjectaltname.split(', ').map(plainName) : []
  const listed = names.slice(0, maxNames).join(', ')
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return `the certificate is for ${listed === '' ? 'no host' : `${listed}${more}`}, not for ${String(host)}`
}

/** Whether an error is about a certificate from an authority that is not known here. */
export function isUntrustedCertificate(error: unknown): boolean {
  const reason = error instanceof Error && 'code' in error && certificateReasons.get(String(error.code))
  return reason === selfSigned || reason === unknownIssuer
}

const maxNames = 5

/** A name in a certificate is whatever its server wrote. */
function plainName(entry: string): string {
  return entry
    .replace(/^(?:DNS|IP Address):/, '')
    .replace(/[^\x21-\x7e]/g, '?')
    .slice(0, 100)
}

const selfSigned = 'the certificate is self-signed'
const unknownIssuer =
  'the certificate is from an authority that is not known here, or the server does not send an intermediate certificate'

const certificateReasons: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownIssuer],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownIssuer],
])

const handshakeReasons: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|http request|packet length too long|unexpected message|unknown record type|bad record type|record layer failure|invalid record/i,
    'what came is not TLS',
  ],
  [
    /unsupported protocol|version too low|protocol version|inappropriate fallback/i,
    'both sides have no version of TLS in common',
  ],
  [/no shared cipher|handshake failure|no ciphers available/i, 'both sides have no cipher in common'],
  [/unknown ca/i, 'the certificate is from an authority that the other side does not know'],
  [/certificate expired/i, 'the other side says that the certificate has expired'],
  [/alert (?:bad |unsupported |revoked )?certificate/i, 'the other side does not accept the certificate'],
  [/unexpected eof/i, 'the other side closed the connection during the handshake'],
]
