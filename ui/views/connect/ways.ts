import type { Health } from '../../../src/server/schema.ts'
import { isLoopback, reachableHost } from '../../composables/settings.ts'
import type { Place } from './place.ts'

/** One way to submit mail: a port, with TLS or without. */
export interface Way {
  value: Exclude<Place['tls'], 'none'>
  /** For a choice. */
  words: string
  place: Place
}

/** The API key, and the login that an account needs. */
interface Credentials {
  /** `""` if the server does not send it. */
  key: string
  /** The user name of the account; null for `default`, whose mail needs a login only where the server says so. */
  user: string | null
  /** Default: the API key. */
  password?: string
}

/** Every way that a server offers, the safest first. A server without TLS has one, `refused`, whose place says `none`. */
export function waysOf(
  { smtp, smtps, ca }: Health,
  { key, user, password = key || 'YOUR_API_KEY' }: Credentials,
  page: { base: string; hostname: string },
): Way[] {
  const place = {
    base: page.base,
    host: reachableHost(smtp.host, page.hostname),
    port: smtp.port,
    key,
    login: user !== null || smtp.login === 'required' ? { user: user ?? 'app', password } : null,
    // The file of the server where the app may be on its machine, or the one that the page or `localpost ca` saves.
    ca: ca && ((isLoopback(page.hostname) ? ca.file : null) ?? 'localpost-ca.pem'),
  }
  const offersTls = smtp.starttls || smtps !== undefined
  return [
    ...(smtp.starttls
      ? [{ value: 'starttls', words: 'STARTTLS', place: { ...place, tls: 'starttls' } } as const]
      : []),
    ...(smtps
      ? [
          {
            value: 'implicit',
            words: `TLS on port ${smtps.port}`,
            place: { ...place, port: smtps.port, tls: 'implicit' },
          } as const,
        ]
      : []),
    {
      value: 'refused',
      words: offersTls ? 'Without TLS' : 'None: turn TLS and STARTTLS off in the app',
      place: { ...place, tls: smtp.starttls ? 'refused' : 'none', ca: null },
    },
  ]
}
