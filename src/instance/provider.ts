import { hostAndPort } from '../net/guarded-request.ts'
import { createOncePerMinute } from '../net/once-per-minute.ts'
import type { OidcSignIn } from '../oidc/sign-in.ts'
import type { Store } from '../store/store.ts'
import { readTrackingSecret } from '../tracking/secret.ts'
import type { SharedParts } from './shared-parts.ts'

/** Prepares sign-in with the OpenID provider of the options; null without one. */
export async function openProvider(
  { config, outgoing, randomSources, baseUrl }: SharedParts,
  store: Store,
): Promise<OidcSignIn | null> {
  const { issuer, clientId, ...options } = config.oidc
  if (issuer === null || clientId === null) return null
  const { createOidcSignIn } = await import('../oidc/sign-in.ts')
  const once = createOncePerMinute()
  return createOidcSignIn(
    { ...options, issuer, clientId },
    {
      redirectUri: () => `${baseUrl()}/dev/oidc/callback`,
      // Stored, so that a sign-in may end at another instance, or after a restart.
      secret: await readTrackingSecret(store, randomSources('tracking')),
      problemOf: outgoing.providerProblemOf(hostAndPort(new URL(issuer))),
      onProblem: (message) => once(message) && config.onNotice({ level: 'warning', message }),
    },
  )
}
