import { storeErrors } from '../outbox/attempt.ts'
import { isErrorOf } from '../core/errors.ts'
import type { AuthRules } from '../capture/auth.ts'
import { startCapture, type Capture } from '../capture/capture.ts'
import type { SessionLog } from '../capture/session-log.ts'
import type { AccountSide } from '../capture/port.ts'
import type { Transcripts } from '../capture/transcripts.ts'
import { isSimulator } from '../rules/verdicts.ts'
import type { ArmedFaults } from '../faults/faults.ts'
import type { FindRule } from '../rules/rules.ts'
import type { InnerDomains } from '../domains/domains.ts'
import type { Budget } from '../core/byte-budget.ts'
import { receiveSubmission } from '../emails/receive.ts'
import type { Ids } from '../core/ids.ts'
import type { FailedKeys } from '../keys/failed-keys.ts'
import type { Keys } from '../keys/keys.ts'
import type { Config } from '../options/options.ts'
import type { SmtpStage } from '../faults/types.ts'
import type { Store } from '../store/store.ts'
import type { InstanceThread } from './thread.ts'
import type { UpToDate } from './up-to-date.ts'

/** Dependencies of the SMTP side of an account. */
export interface SideDeps {
  store: Store
  ids: Ids
  domains: Pick<InnerDomains, 'ensureDomain'>
  rules: { find: FindRule }
  verdictOf: AccountSide['verdictOf']
  faults: Pick<ArmedFaults, 'smtp'>
  /** Where long headers are read. */
  thread: InstanceThread
  /** Called after a submission that the outbox has to deliver. */
  wakeOutbox(): void
  /** Where the sessions of submissions are kept. */
  transcripts: Transcripts
  smtpSessions: SessionLog
}

/**
 * What SMTP sessions of an account can use.
 *
 * @param headRoom  Limits the bytes that the long headers of all accounts take in memory while they arrive.
 * @param upToDate  Waits for the changes of other instances; null if only this process uses the store.
 */
export function sideOfAccount(
  { store, ids, domains, rules, verdictOf, faults, thread, wakeOutbox, transcripts, smtpSessions }: SideDeps,
  { clock, hostname, rejectSubmissions }: Config,
  headRoom: Budget,
  upToDate: UpToDate | null,
): AccountSide {
  const hasRule = (recipient: string): boolean => rules.find(recipient, false) !== null
  const receive = {
    store,
    clock,
    ids,
    hostname,
    ensureDomain: domains.ensureDomain,
    // If rules apply to submissions, a refused address never became a recipient.
    needsDelivery: (recipient: string) =>
      isSimulator(recipient) || (!rejectSubmissions && hasRule(recipient)),
    thread,
    headRoom,
    wakeOutbox,
  }
  return {
    receive: (envelope, notes) =>
      receiveSubmission(envelope, receive, (id) => {
        if (notes) transcripts.keep(id, notes)
      }),
    verdictOf: upToDate
      ? (recipient, transaction) => upToDate().then(() => verdictOf(recipient, transaction))
      : verdictOf,
    faultAt: upToDate
      ? (stage) => (opening.has(stage) ? upToDate().then(() => faults.smtp(stage)) : faults.smtp(stage))
      : faults.smtp,
    sessions: smtpSessions,
  }
}

/**
 * The stages at which a session or a transaction begins, or a key is checked. They wait until everything that was
 * stored before is known. The greeting does not wait, because some clients send commands before it.
 */
const opening: ReadonlySet<SmtpStage> = new Set(['ehlo', 'auth', 'mail'])

/**
 * The SMTP listener of an instance, for submissions and for deliveries of the outbox.
 *
 * @param deps.secret  The secret by which the outbox of the account `default` authenticates.
 */
export function openCapture({
  side,
  config,
  keys,
  secret,
  judgeAccount,
  failedKeys,
}: {
  side: AccountSide
  config: Config
  keys: Pick<Keys, 'scopeOf'>
  secret: string
  judgeAccount: NonNullable<AuthRules['judgeAccount']>
  failedKeys: FailedKeys
}): Promise<Capture> {
  return startCapture({
    ...side,
    host: config.host,
    port: config.smtpPort,
    hostname: config.hostname,
    auth: config.smtpAuth,
    tls: typeof config.smtpTls === 'object' ? config.smtpTls : (config.tls ?? config.smtpTls),
    securePort: config.smtpsPort,
    strict: config.strict,
    clock: config.clock,
    keepAlive: config.keepAlive,
    maxClients: { total: config.limits.smtpClients, perAddress: config.limits.smtpClientsPerAddress },
    rejectSubmissions: config.rejectSubmissions,
    scopeOf: keys.scopeOf,
    deliverySecret: secret,
    judgeAccount,
    failedKeys,
    onClientFault: (message) => config.onNotice({ level: 'warning', message }),
    onError(error) {
      // The account was removed during the session.
      if (isErrorOf(error, 'not_found')) return
      config.onNotice(
        isErrorOf(error, ...storeErrors)
          ? { level: 'warning', message: 'A message was refused, because it could not be stored.', error }
          : { level: 'error', message: 'The SMTP server failed with an internal error.', error },
      )
    },
  })
}
