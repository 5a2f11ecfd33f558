import type { IncomingMessage } from 'node:http'

/**
 * Whether a proxy or a tunnel passed a request on: it has at least one of the headers that they add. Such a request
 * may come from anywhere, even if its Host and its socket are those of this machine.
 */
export function isForwarded(headers: IncomingMessage['headers'] | Headers): boolean {
  const names = headers instanceof Headers ? headers.keys() : Object.keys(headers)
  for (const name of names) if (forwardingHeader.test(name)) return true
  return false
}

/** Whether a proxy says that its client came over HTTPS. */
export function isForwardedHttps(headers: Pick<Headers, 'get'>): boolean {
  return (
    /^https\s*(?:,|$)/i.test(headers.get('x-forwarded-proto') ?? '') ||
    /(?:^|[;,\s])proto="?https\b/i.test(headers.get('forwarded') ?? '')
  )
}

/**
 * The headers by which proxies, content networks, tunnels and hosting platforms describe the client that they pass on.
 * A name that ends with `*` matches all names with this prefix.
 */
export const forwardingHeaders: readonly string[] = [
  // RFC 7239, RFC 9110 section 7.6.3, RFC 8586
  'forwarded',
  'via',
  'cdn-loop',
  // nginx, Apache, HAProxy, Caddy, Traefik, Envoy, IIS, WebLogic
  'x-forwarded*',
  'x-real-*',
  'x-original-*',
  'x-rewrite-url',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-remote-*',
  'x-scheme',
  'x-proxied*',
  'x-proxyuser-ip',
  'x-proxy-*',
  'x-host',
  'x-envoy-*',
  'x-arr-*',
  'client-ip',
  'forwarded-for',
  'proxy-client-ip',
  'wl-proxy-*',
  'front-end-https',
  // Cloudflare, Akamai, Fastly, Imperva, Sucuri, CloudFront
  'cf-*',
  'true-client-ip',
  'akamai-*',
  'x-akamai-*',
  'fastly-*',
  'incap-*',
  'x-sucuri-*',
  'cloudfront-*',
  'x-amz-cf-id',
  // Fly.io, AWS, Google Cloud, Azure, Vercel, Netlify, DigitalOcean
  'fly-*',
  'x-amzn-*',
  'x-appengine-*',
  'x-cloud-trace-context',
  'x-azure-*',
  'x-ms-proxy*',
  'x-ms-forwarded*',
  'x-vercel-*',
  'x-nf-*',
  'do-connecting-ip',
  // Proxies that ask people to sign in: CGI's name, oauth2-proxy, Authentik, Google's
  'remote-user',
  'x-auth-request-*',
  'x-authentik-*',
  'x-goog-authenticated-*',
  'x-goog-iap-*',
  // Tailscale, ngrok
  'tailscale-*',
  'ngrok-*',
]

const forwardingHeader = new RegExp(
  `^(?:${forwardingHeaders.map((name) => name.replace(/\*$/, '.*')).join('|')})$`,
  'i',
)
