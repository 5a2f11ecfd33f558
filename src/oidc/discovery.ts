import type { ClientAuth, Configuration } from 'openid-client'
import { monotonicNow } from '../core/machine.ts'
import { ProviderFailure, type ProviderFetch } from './fetch.ts'
import { providerReason } from './sign-in-error.ts'

export type OpenIdClient = typeof import('./client.ts')

/** The discovered configuration of a provider, while it is valid. */
export interface Discovery {
  /** Asks the provider at most once in ten minutes. Concurrent callers share the answer. @throws ProviderFailure. */
  read(): Promise<{ client: OpenIdClient; configuration: Configuration }>
  /** Makes the next call ask the provider again, after an error. */
  forget(): void
}

/** @param provider  Makes the requests, also the later ones of the configuration. */
export function createDiscovery(
  { issuer, clientId, clientSecret }: { issuer: URL; clientId: string; clientSecret: string | null },
  provider: Pick<ProviderFetch, 'fetch'>,
): Discovery {
  type Known = Awaited<ReturnType<Discovery['read']>>
  let known: (Known & { until: number }) | null = null
  let asking: Promise<Known> | null = null

  async function ask(): Promise<Known> {
    try {
      // Loaded at the first sign-in: an instance without one does not need it.
      const client = await import('./client.ts')
      const { customFetch, enableNonRepudiationChecks, allowInsecureRequests } = client
      const isPlain = issuer.protocol === 'http:'
      const auth = clientAuth(client, clientSecret)
      const configuration = await client.discovery(issuer, clientId, undefined, auth, {
        [customFetch]: provider.fetch,
        execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
      })
      known = { client, configuration, until: monotonicNow() + cacheMs }
      return known
    } catch (error) {
      const message = `the discovery document cannot be used: ${providerReason(error)}`
      throw new ProviderFailure(message, { cause: error })
    } finally {
      asking = null
    }
  }

  return {
    async read() {
      if (known && monotonicNow() < known.until) return known
      return (asking ??= ask())
    },
    forget: () => void (known = null),
  }
}

/** Sends the secret as the provider wants it: in the header, unless it says that it takes it in the body only. */
function clientAuth(client: OpenIdClient, secret: string | null): ClientAuth {
  if (secret === null) return client.None()
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
    const authenticate = isPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret)
    return authenticate(server, ...rest)
  }
}

const cacheMs = 10 * 60 * 1000
