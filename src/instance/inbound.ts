import { storeErrors } from '../outbox/attempt.ts'
import { isErrorOf } from '../core/errors.ts'
import { startCapture, type Capture } from '../capture/capture.ts'
import type { Transcripts } from '../capture/transcripts.ts'
import { createVerdicts, isSimulator } from '../rules/verdicts.ts'
import type { ArmedFaults } from '../faults/faults.ts'
import type { FindRule } from '../rules/rules.ts'
import type { InnerDomains } from '../domains/domains.ts'
import { createBudget } from '../core/byte-budget.ts'
import { headRoomBytes, receiveSubmission } from '../emails/receive.ts'
import type { Ids } from '../core/ids.ts'
import type { Keys } from '../keys/keys.ts'
import type { Config } from '../options/options.ts'
import type { Store } from '../store/store.ts'

/** The SMTP listener of an instance: it takes submissions, and the outbox's deliveries. */
export function openCapture(deps: {
  store: Store
  ids: Ids
  config: Config
  domains: Pick<InnerDomains, 'ensureDomain'>
  keys: Pick<Keys, 'accepts'>
  findRule: FindRule
  faults: Pick<ArmedFaults, 'smtp'>
  /** Called after a submission that the outbox has to deliver. */
  wakeOutbox(): void
  /** Where the sessions of submissions are kept. */
  transcripts: Transcripts
  /** What the outbox proves itself with. */
  secret: string
}): Promise<Capture> {
  const { store, ids, config, domains, keys, findRule, faults, secret, transcripts } = deps
  const { clock, hostname, rejectSubmissions } = config
  const hasRule = (recipient: string): boolean => findRule(recipient, false) !== null
  const receive = {
    store,
    clock,
    ids,
    hostname,
    ensureDomain: domains.ensureDomain,
    // Where rules apply to submissions, a refused address never became a recipient.
    needsDelivery: (recipient: string) =>
      isSimulator(recipient) || (!rejectSubmissions && hasRule(recipient)),
    headRoom: createBudget(headRoomBytes),
    wakeOutbox: deps.wakeOutbox,
  }
  return startCapture({
    host: config.host,
    port: config.smtpPort,
    hostname,
    auth: config.smtpAuth,
    tls: config.smtpTls,
    strict: config.strict,
    clock,
    keepAlive: config.keepAlive,
    maxClients: { total: config.limits.smtpClients, perAddress: config.limits.smtpClientsPerAddress },
    submissions: {
      begin: (envelope, { notes }) =>
        receiveSubmission(envelope, receive, (id) => {
          if (notes) transcripts.keep(id, notes)
        }),
    },
    verdictOf: createVerdicts(findRule),
    rejectSubmissions,
    faultAt: faults.smtp,
    isApiKey: keys.accepts,
    deliverySecret: secret,
    onClientFault: (message) => config.onNotice({ level: 'warning', message }),
    onError: (error) =>
      config.onNotice(
        isErrorOf(error, ...storeErrors)
          ? { level: 'warning', message: 'A message was refused, because it could not be stored.', error }
          : { level: 'error', message: 'The SMTP server failed with an internal error.', error },
      ),
  })
}
