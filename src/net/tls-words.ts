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
  for (const [pattern, words] of reasons) if (pattern.test(reason)) return words
  return `the TLS library says: ${reason}`
}

const reasons: readonly (readonly [RegExp, string])[] = [
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
