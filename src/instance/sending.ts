import type { AttachmentSources } from '../attachments/attachments.ts'
import { createBroadcasts, type Broadcasts } from '../broadcasts/broadcasts.ts'
import type { Ids } from '../core/ids.ts'
import type { InnerDomains } from '../domains/domains.ts'
import { createEmails, type EmailService } from '../emails/emails.ts'
import { createSimulation, type Simulation } from '../emails/simulate.ts'
import type { Config } from '../options/options.ts'
import type { Reader } from '../reading/reader.ts'
import type { RequestLog } from '../server/request-log.ts'
import type { Store } from '../store/store.ts'
import type { InnerTemplates } from '../templates/templates.ts'
import type { Tracking } from '../tracking/tracking.ts'
import { createLibrarySends } from './library-sends.ts'
import type { InstanceThread } from './thread.ts'

/** Dependencies of sends of emails and broadcasts. */
export interface SendingDeps {
  store: Store
  ids: Ids
  config: Config
  sources: AttachmentSources
  reader: Reader
  thread: InstanceThread
  templates: Pick<InnerTemplates, 'find'>
  domains: Pick<InnerDomains, 'resolveSender'>
  tracking: Pick<Tracking, 'unsubscribeUrl'>
  log: RequestLog
  wakeOutbox: () => void
}

/** The emails and broadcasts of the API, and the sends of the library, which are logged and give warnings. */
export function openSending(deps: SendingDeps): {
  emails: EmailService & Simulation
  broadcasts: Broadcasts
  library: ReturnType<typeof createLibrarySends>
} {
  const { store, ids, config, sources, reader, thread, templates, domains, tracking, log, wakeOutbox } = deps
  const { clock, strict, escapeHtml, pageSize, hostname, relayAll, onNotice } = config
  const sending = {
    store,
    clock,
    ids,
    strict,
    escapeHtml,
    via: relayAll ? 'relay' : 'capture',
    sources,
    findTemplate: templates.find,
    resolveSender: domains.resolveSender,
    wakeOutbox,
  } as const
  const emails = createEmails({ ...sending, reader, thread, pageSize })
  const broadcasts = createBroadcasts({ ...sending, pageSize, unsubscribeUrl: tracking.unsubscribeUrl })
  const library = createLibrarySends({ accept: emails.accept, broadcast: broadcasts.send, log, onNotice })
  return { emails: { ...emails, ...createSimulation({ store, clock, hostname }) }, broadcasts, library }
}
