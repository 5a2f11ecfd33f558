import { defaultAccount } from '../accounts/schema.ts'
import type { AuthRules } from '../capture/auth.ts'
import { startCapture, type Capture } from '../capture/capture.ts'
import type { CaptureOptions } from '../capture/options.ts'
import type { AccountSide } from '../capture/account-side.ts'
import type { Budget } from '../core/byte-budget.ts'
import { isErrorOf } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { receiveSubmission } from '../emails/receive.ts'
import type { SmtpStage } from '../faults/types.ts'
import { reachableHost } from '../net/hosts.ts'
import type { Config } from '../options/options.ts'
import type { OpenAccount } from './account.ts'
import type { Localpost } from './instance.ts'
import { reportFailures } from './notices.ts'
import type { OwnCertificate } from './own-certificate.ts'
import type { SharedParts } from './shared-parts.ts'
import { simulator } from './simulator.ts'

/**
 * What SMTP sessions of an account can use.
 *
 * @param headerBudget  Limits the bytes that the long headers of all accounts take in memory while they arrive.
 * @param upToDate  Waits for the changes of other instances; null if only this process uses the store.
 */
export function sideOfAccount(
  account: OpenAccount,
  { clock, hostname, rejectSubmissions }: Config,
  headerBudget: Budget,
  upToDate: SharedParts['upToDate'],
): AccountSide {
  const { rules, verdictOf, faults, transcripts, suppressions, onStored } = account
  const hasRule = (recipient: string): boolean => rules.find(recipient, 'all') !== null
  const receiveDeps = {
    ...account,
    clock,
    hostname,
    ensureDomain: account.domains.ensureDomain,
    // If rules apply to submissions, a refused address never became a recipient.
    needsDelivery: (recipient: string) =>
      simulator.isSimulator(recipient) ||
      suppressions.has(recipient) ||
      (!rejectSubmissions && hasRule(recipient)),
    headerBudget,
  }
  return {
    accountName: account.accountName ?? defaultAccount,
    receive(envelope, notes) {
      const began = monotonicNow()
      return receiveSubmission(envelope, receiveDeps, (email) => {
        if (notes) transcripts.keep(email.id, notes)
        onStored?.(email, monotonicNow() - began)
      })
    },
    verdictOf: upToDate
      ? (recipient, transaction) => upToDate().then(() => verdictOf(recipient, transaction))
      : verdictOf,
    faultAt: upToDate
      ? (stage) => (awaitedStages.has(stage) ? upToDate().then(() => faults.smtp(stage)) : faults.smtp(stage))
      : faults.smtp,
    sessions: account.smtpSessions,
  }
}

/**
 * The stages at which a session or a transaction begins, or a key is checked. They wait until everything that was
 * stored before is known. The greeting does not wait, because some clients send commands before it.
 */
const awaitedStages: ReadonlySet<SmtpStage> = new Set(['ehlo', 'auth', 'mail'])

/** The SMTP listener of an instance, for submissions and for deliveries of the outbox. */
export function openCapture(
  config: Config,
  side: AccountSide,
  credentials: Omit<AuthRules, 'auth'>,
  { ownCertificate, ...reports }: Pick<CaptureOptions, 'ownCertificate' | 'httpUrl' | 'onRefused' | 'counts'>,
): Promise<Capture> {
  const { limits, onNotice } = config
  const report = reportFailures(
    config,
    'A message was refused, because it could not be stored.',
    'The SMTP server failed with an internal error.',
  )
  return startCapture({
    ...config,
    ...side,
    ...credentials,
    ...reports,
    port: config.smtpPort,
    auth: config.smtpAuth,
    tls: typeof config.smtpTls === 'object' ? config.smtpTls : (config.tls ?? config.smtpTls),
    ownCertificate,
    securePort: config.smtpsPort,
    maxClients: { total: limits.smtpClients, perAddress: limits.smtpClientsPerAddress },
    onClientFault: (message) => onNotice({ level: 'warning', message }),
    onError(error) {
      // The account may have been removed during the session.
      if (!isErrorOf(error, 'not_found')) report(error)
    },
  })
}

/** Where mail is submitted, with the CA to trust where Localpost made the certificate. */
export function smtpPlaces(
  { host, port, securePort }: Capture,
  { smtpTls }: Config,
  certificate: OwnCertificate | null,
): Pick<Localpost, 'smtp' | 'smtps'> {
  const reachable = reachableHost(host)
  const tls = certificate && { ca: certificate.ca }
  return {
    smtp: { host: reachable, port, ...(tls && smtpTls === true && { tls }) },
    smtps:
      securePort === null ? null : { host: reachable, port: securePort, secure: true, ...(tls && { tls }) },
  }
}
