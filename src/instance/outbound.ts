import type { AttachmentSources } from '../attachments/attachments.ts'
import { outboxUser } from '../capture/auth.ts'
import { LocalpostError } from '../core/errors.ts'
import { domainCollection } from '../domains/domain.ts'
import type { InnerDomains } from '../domains/domains.ts'
import { readContent } from '../emails/emails.ts'
import type { Relay } from '../inbox/release.ts'
import { withoutBcc } from '../mime/compose/without-bcc.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import { createOutbox, type Outbox, type OutboxDeps } from '../outbox/outbox.ts'
import { relayOptions } from '../outbox/relay-options.ts'
import { createTransport, type Transport } from '../outbox/transport.ts'
import type { FindRule } from '../rules/rules.ts'
import { createCauseOf } from '../rules/verdicts.ts'
import type { InnerSuppressions } from '../sending/suppressions.ts'
import type { Tracking } from '../tracking/tracking.ts'
import { reportFailures } from './notices.ts'
import type { Reader } from '../reading/reader.ts'
import { needsOf } from '../outbox/message-needs.ts'
import type { AccountParts } from './shared-parts.ts'
import { simulator } from './simulator.ts'

/** Where the attachments of API sends may come from. */
export function attachmentSources({ attachments }: Config, outgoing: Outgoing): AttachmentSources {
  const { root, allowPrivate, timeoutMs } = attachments
  const problemOf = allowPrivate ? outgoing.problemOf : outgoing.strictProblemOf
  return { root, timeoutMs, problemOf }
}

/** The connection to the relay, for `release` and `relayAll`; null if no relay is configured. */
export function openRelay(config: Config, outgoing: Outgoing): Transport | null {
  const { relay, relayInsecureAuth, hostname, keepAlive } = config
  if (relay === null) return null
  return createTransport({
    ...relayOptions(relay, { hostname, insecureAuth: relayInsecureAuth }),
    problemOf: outgoing.relayProblemOf,
    keepAlive,
  })
}

/**
 * The outbox, delivering to the instance's own capture server.
 *
 * @param deps.secret  The password of the outbox at that server.
 */
export function openOutbox(
  { config, deliveries, downloads, thread, tracer, counts }: AccountParts,
  deps: Pick<OutboxDeps, 'store' | 'sources' | 'largeWrites'> & {
    suppressions: Pick<InnerSuppressions, 'has'>
    domains: Pick<InnerDomains, 'signingKey' | 'asRemoved'>
    tracking: Pick<Tracking, 'copiesOf'>
    reader: Pick<Reader, 'bodies' | 'content' | 'findings'>
    relay: Transport | null
    findRule: FindRule
    secret: string
  },
): Outbox {
  const { store, domains, tracking } = deps
  const { clock, hostname, keepAlive, retryDelaysMs } = config
  return createOutbox({
    ...deps,
    downloads,
    thread,
    tracer,
    tally: counts.deliveries,
    clock,
    hostname,
    retryDelaysMs,
    capture: createTransport({
      get host() {
        return deliveries().host
      },
      get port() {
        return deliveries().port
      },
      plain: true,
      auth: { user: outboxUser, pass: deps.secret },
      hostname,
      keepAlive,
      // One connection per email in progress, so that a reply that a rule delays blocks no other delivery.
      maxConnections: 16,
    }),
    relay: config.relayAll ? deps.relay : null,
    simulator,
    isOnSuppressionList: deps.suppressions.has,
    causeOf: createCauseOf(deps.findRule, simulator),
    async senderOf(email) {
      const { mail_from } = email.envelope
      const domain =
        (await store.get(domainCollection, email.domain_id)) ??
        // The domain was removed, maybe by a reset, while the email was pending.
        domains.asRemoved(mail_from.slice(mail_from.lastIndexOf('@') + 1))
      const { domain: name, selector, privateKey } = await domains.signingKey(domain)
      return {
        signing: { domain: name, selector, key: privateKey },
        copiesOf: tracking.copiesOf(email, domain),
      }
    },
    async firstLinkOf(email) {
      if (!email.recipients.some(({ recipient }) => simulator.aftermathOf(recipient) === 'clicked'))
        return null
      const content = await readContent(deps, email)
      const { links } = await deps.reader.findings({ ...content, subject: '' }, null)
      return links.find(({ href }) => /^https?:/i.test(href))?.href ?? null
    },
    onError: reportFailures(
      config,
      'A delivery waits, because its outcome cannot be stored: it is retried, also after the next start.',
      'A delivery failed with an internal error; it will be retried.',
    ),
  })
}

/** Sends one captured message to the relay, without its Bcc field; for `release`. */
export function releaseThrough(relay: Transport): Relay {
  return async (email, to, open) => {
    const { mail_from } = email.envelope
    const needs = await needsOf(withoutBcc(await open()), [mail_from, to])
    const message = withoutBcc(await open())
    const replies = await relay.deliver({ id: email.id, mail_from, rcpt_to: [to], message, needs })
    const reply = replies.get(to)
    if (reply && reply.reply_code >= 200 && reply.reply_code < 300) return reply.text
    const problem = `The relay did not accept ${email.id} for ${to}: ${reply?.text ?? 'no reply'}.`
    throw new LocalpostError('relay_failed', problem)
  }
}
