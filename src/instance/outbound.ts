import type { Readable } from 'node:stream'
import { outboxUser } from '../capture/auth.ts'
import type { FindRule } from '../rules/rules.ts'
import { aftermathOf, createCauses, isSimulator, isSuppressed } from '../rules/verdicts.ts'
import type { JobQueue } from '../core/job-queue.ts'
import type { RandomSource } from '../core/random.ts'
import { domainCollection } from '../domains/domain.ts'
import type { Domains, InnerDomains } from '../domains/domains.ts'
import { startRechecks, type Rechecks } from '../domains/rechecks.ts'
import type { InstanceThread } from './thread.ts'
import type { AttachmentSources } from '../attachments/attachments.ts'
import { readContent } from '../emails/emails.ts'
import type { Reader } from '../reading/reader.ts'
import type { EmailRecord } from '../emails/email.ts'
import { storeErrors } from '../outbox/attempt.ts'
import type { Downloads } from '../outbox/downloads.ts'
import { createOutbox, type Outbox } from '../outbox/outbox.ts'
import type { Simulator } from '../outbox/outcome.ts'
import { needsOf } from '../outbox/extensions.ts'
import { withoutBcc } from '../mime/compose/without-bcc.ts'
import { createTransport, relayOptions, type Transport } from '../outbox/transport.ts'
import { startKeyExpiry } from '../emails/idempotency.ts'
import { startRetention, type Retention } from '../emails/retention.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'
import type { Tracking } from '../tracking/tracking.ts'
import { createWebhooks, type RunningWebhooks } from '../webhooks/webhooks.ts'

/** The behaviour of the simulator addresses. */
export const simulator: Simulator = { isSimulator, isSuppressed, aftermathOf }

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

/** The outbox, delivering to the instance's own capture server. */
export function openOutbox(deps: {
  store: Store
  config: Config
  domains: Pick<InnerDomains, 'signingKey' | 'asRemoved'>
  tracking: Pick<Tracking, 'copiesOf'>
  reader: Pick<Reader, 'bodies' | 'content' | 'findings'>
  relay: Transport | null
  sources: AttachmentSources
  thread: InstanceThread
  large: JobQueue
  downloads: Downloads
  findRule: FindRule
  capture: { host: string; port: number; secret: string }
}): Outbox {
  const { store, config, domains, tracking, capture } = deps
  return createOutbox({
    store,
    clock: config.clock,
    capture: createTransport({
      host: capture.host,
      port: capture.port,
      plain: true,
      auth: { user: outboxUser, pass: capture.secret },
      hostname: config.hostname,
      keepAlive: config.keepAlive,
      // One connection per email in progress, so that a reply that a rule delays blocks no other delivery.
      maxConnections: 16,
    }),
    relay: config.relayAll ? deps.relay : null,
    simulator,
    causeOf: createCauses(deps.findRule),
    sources: deps.sources,
    thread: deps.thread,
    large: deps.large,
    downloads: deps.downloads,
    retryDelaysMs: config.retryDelaysMs,
    hostname: config.hostname,
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
      if (!email.recipients.some(({ recipient }) => aftermathOf(recipient) === 'clicked')) return null
      const content = await readContent(deps, email)
      const { links } = await deps.reader.findings({ ...content, subject: '' })
      return links.find(({ href }) => /^https?:/i.test(href))?.href ?? null
    },
    onError: (error) =>
      config.onNotice(
        isErrorOf(error, ...storeErrors)
          ? {
              level: 'warning',
              message:
                'A delivery waits, because its outcome cannot be stored: it is retried, also after the next start.',
              error,
            }
          : {
              level: 'error',
              message: 'A delivery failed with an internal error; it will be retried.',
              error,
            },
      ),
  })
}

/** Deletes old emails, as the options `maxEmails` and `maxAgeMs` say. */
export function openRetention(store: Store, config: Config): Retention {
  const { clock, maxEmails, maxAgeMs, onNotice } = config
  return startRetention({
    store,
    clock,
    maxEmails,
    maxAgeMs,
    onError: (error) =>
      onNotice({ level: 'error', message: 'Old emails could not be deleted; this will be retried.', error }),
  })
}

/** Removes expired Idempotency-Keys. */
export function openKeyExpiry(store: Store, { clock, onNotice }: Config): ReturnType<typeof startKeyExpiry> {
  return startKeyExpiry({
    store,
    clock,
    onError: (error) =>
      onNotice({
        level: 'error',
        message: 'Expired idempotency keys could not be deleted; this will be retried.',
        error,
      }),
  })
}

/** Verifies domains again at intervals, if `verifyIntervalMs` is set. */
export function openRechecks(store: Store, config: Config, domains: Pick<Domains, 'verify'>): Rechecks {
  const { clock, verifyIntervalMs, onNotice } = config
  return startRechecks({
    store,
    clock,
    intervalMs: verifyIntervalMs,
    verify: (id) => domains.verify(id),
    onError: (error) =>
      onNotice({
        level: 'error',
        message: 'A domain could not be looked up in DNS; this will be retried.',
        error,
      }),
  })
}

/** The webhooks: those of the options and the stored ones. */
export function openWebhooks(
  store: Store,
  ids: Ids,
  config: Config,
  random: RandomSource,
  outgoing: Outgoing,
  following: Following,
): Promise<RunningWebhooks> {
  const { clock, pageSize, webhooks, webhookRetryDelaysMs, onNotice } = config
  return createWebhooks({
    store,
    clock,
    random,
    following,
    ids,
    pageSize,
    given: webhooks,
    retryDelaysMs: webhookRetryDelaysMs,
    problemOf: outgoing.problemOf,
    onWarning: (message) => onNotice({ level: 'warning', message }),
    onError: (error) =>
      onNotice(
        isErrorOf(error, ...storeErrors)
          ? { level: 'warning', message: 'The outcome of a webhook delivery could not be stored.', error }
          : { level: 'error', message: 'A webhook failed with an internal error.', error },
      ),
  })
}

/** Sends one captured message to the relay, without its Bcc field; for `release`. */
export function releaseThrough(
  relay: Transport,
): (email: EmailRecord, to: string, open: () => Promise<Readable>) => Promise<string> {
  return async (email, to, open) => {
    const { mail_from } = email.envelope
    const needs = await needsOf(withoutBcc(await open()), [mail_from, to])
    const message = withoutBcc(await open())
    const replies = await relay.deliver({ id: email.id, mail_from, rcpt_to: [to], message, needs })
    const reply = replies.get(to)
    if (reply && reply.reply_code >= 200 && reply.reply_code < 300) return reply.text
    throw new LocalpostError(
      'relay_failed',
      `The relay did not accept ${email.id} for ${to}: ${reply?.text ?? 'no reply'}.`,
    )
  }
}
