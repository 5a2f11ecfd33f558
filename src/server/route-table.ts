import type { KeyCheck } from './auth.ts'
import type { ServerDeps } from './deps.ts'
import { maySee } from './pass-to-account.ts'
import { accountRoutes } from './dev/accounts.ts'
import { devAudienceRoutes } from './dev/audiences.ts'
import { broadcastRoutes } from './dev/broadcasts.ts'
import { consentRoutes } from './dev/consent.ts'
import { devDomainRoutes } from './dev/domains.ts'
import { devEmailRoutes, scheduledRoutes } from './dev/sending.ts'
import { suppressionRoutes } from './dev/suppressions.ts'
import { inboxRoutes } from './dev/inbox.ts'
import { instanceRoutes } from './dev/instance.ts'
import { keyRoutes } from './dev/keys.ts'
import { mailRoutes } from './dev/mail.ts'
import { mailByteRoutes, nestedMailRoutes } from './dev/mail-bytes.ts'
import { oidcRoutes } from './dev/oidc.ts'
import { ruleAndFaultRoutes } from './dev/rules-and-faults.ts'
import { sessionRoutes } from './dev/session.ts'
import { missingRoutes } from './dev/missing-mail.ts'
import { smtpSessionRoutes } from './dev/smtp-sessions.ts'
import { templateRoutes } from './dev/templates.ts'
import { webhookRoutes } from './dev/webhooks.ts'
import type { LiveEvents } from './live-events.ts'
import { probeRoutes } from './probes.ts'
import type { Route } from './route.ts'
import type { Sessions } from './session.ts'
import { trackingRoutes } from './tracking.ts'
import { audienceRoutes } from './v1/audiences.ts'
import { domainRoutes } from './v1/domains.ts'
import { emailRoutes } from './v1/emails.ts'

/** The routes of Localpost itself, without the documents that describe them. */
export function ownRoutes(deps: ServerDeps, live: LiveEvents, sessions: Sessions): Route[] {
  const { passwords, providers } = deps.limits
  return [
    ...emailRoutes(deps.emails),
    ...domainRoutes(deps.domains),
    ...audienceRoutes(deps.audiences),
    ...inboxRoutes(deps.inbox),
    ...mailRoutes(deps.inbox),
    ...consentRoutes(deps.tracking),
    ...mailByteRoutes(deps.inbox, deps.tracking),
    ...nestedMailRoutes(deps.inbox.nested, deps.tracking),
    ...devEmailRoutes(deps.emails, deps.sending),
    ...scheduledRoutes(deps.sending),
    ...suppressionRoutes(deps.suppressions),
    ...devDomainRoutes(deps.domains),
    ...devAudienceRoutes(deps.audiences),
    ...broadcastRoutes(deps.broadcasts),
    ...templateRoutes(deps.templates, deps.thread),
    ...webhookRoutes(deps.webhooks),
    ...accountRoutes(deps.accounts, (headers, name) => maySee(sessions.ownerOf(headers), name)),
    ...keyRoutes(deps.keys),
    ...sessionRoutes({ keys: anyKeys(deps), users: deps.users, oidc: deps.oidc, sessions, limit: passwords }),
    ...oidcRoutes(deps.oidc, sessions, providers),
    ...ruleAndFaultRoutes(deps.rules, deps.faults),
    ...smtpSessionRoutes(deps),
    ...missingRoutes(deps),
    ...instanceRoutes(deps, live),
    ...probeRoutes(deps),
    ...trackingRoutes(deps.tracking, deps.webhooks),
    ...(deps.furtherRoutes ?? []),
  ]
}

/** Accepts the keys of all accounts, because each of them can sign in. */
export function anyKeys({ keys, instance }: Pick<ServerDeps, 'keys' | 'instance'>): KeyCheck {
  return { scopeOf: (key) => instance?.otherAccounts.ofKey(key)?.scope ?? keys.scopeOf(key) }
}
