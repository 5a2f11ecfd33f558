import { hostAndPort } from '../net/guarded-request.ts'
import { createOncePerMinute } from '../net/once-per-minute.ts'
import type { OidcSignIn } from '../oidc/sign-in.ts'
import type { Store } from '../store/store.ts'
import { readTrackingSecret } from '../tracking/secret.ts'
import type { AccountParts } from './shared-parts.ts'

/** Prepares sign-in with the OpenID provider of the options; null without one. */
export async function openSignIn(
  { config, outgoing, randomSources, baseUrl }: AccountParts,
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
      // The secret of tracking links, because it is stored: a sign-in may end at another instance, or after a restart.
      secret: await readTrackingSecret(store, randomSources('tracking')),
      problemOf: outgoing.providerProblemOf(hostAndPort(new URL(issuer))),
      onProblem: (message) => once(message) && config.onNotice({ level: 'warning', message }),
    },
  )
}
