/** How a caller sends its key to a path: as the provider whose path it is has it. */
export function authorizationOf(path: string, key: string): string {
  if (path === '/mailgun' || path.startsWith('/mailgun/'))
    return `Basic ${Buffer.from(`api:${key}`).toString('base64')}`
  if (!/^\/ses(?:-v1)?(?:\/|$)/.test(path)) return `Bearer ${key}`
  const scope = '20261126/us-east-1/ses/aws4_request'
  return `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`
}

/** The headers by which a caller sends its key to a path. */
export function keyHeaders(path: string, key: string): Record<string, string> {
  if (path.startsWith('/postmark')) return { 'x-postmark-server-token': key }
  return { authorization: authorizationOf(path, key) }
}
