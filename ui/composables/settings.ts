/**
 * The host to show for apps: the bound one, or, if the page is opened from another machine and the server is bound to
 * loopback, the name by which the page was reached.
 */
export function reachableHost(bound: string, pageHost: string): string {
  // An IPv6 address in a URL has brackets.
  return isLoopback(bound) && !isLoopback(pageHost) ? pageHost.replace(/^\[|\]$/g, '') : bound
}

/**
 * A command for a POSIX shell that sends one mail, ready to paste.
 *
 * @param key  The API key; `""` if the server does not send it: then a shell variable is shown instead.
 */
export function curlCommand(origin: string, key: string): string {
  return [
    `curl ${origin}/v1/emails`,
    `  -H ${key ? quoted(`Authorization: Bearer ${key}`) : '"Authorization: Bearer $LOCALPOST_API_KEY"'}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(sample, null, 2))}`,
  ].join(' \\\n')
}

const sample = {
  from: 'Acme <hello@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello from curl',
  html: '<h1>It works</h1>',
  text: 'It works',
}

export function isLoopback(name: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(name)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
