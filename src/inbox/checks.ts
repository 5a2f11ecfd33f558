import type { SendingKnowledge } from '../checks/knowledge.ts'
import { assertCheckOptions, type MailCheckOptions } from '../checks/options.ts'
import type { RawFacts } from '../checks/raw-facts.ts'
import type { CheckServices, MailKnowledge } from '../checks/check.ts'
import type { checkJobs } from '../checks/run.ts'
import { createMailChecks } from '../checks/mail-checks.ts'
import type { CheckReport } from '../checks/types.ts'
import type { Clock } from '../core/clock.ts'
import type { JobThread } from '../core/job-thread.ts'
import { zoneOf } from '../domains/names.ts'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import type { InboxCheckOptions } from './methods.ts'
import { maxAskedBytes } from './outside-answers.ts'
import type { OwnRecords } from './own-records.ts'
import type { Details } from './detail.ts'
import type { Mail } from './types.ts'
import type { Reader } from '../reading/reader.ts'

export interface InboxChecksDeps {
  reader: Reader
  /** Where long mails are checked. */
  thread: JobThread<typeof checkJobs>
  clock: Clock
  /** The option of that name. Default: all checks, and all mail clients. */
  checks?: MailCheckOptions
  /** The options that describe how mail will be sent. Default: none. */
  sending?: SendingKnowledge
  /** Default: no records. */
  recordsOf?: OwnRecords
  /** The programs that checks ask. Default: none. */
  services?: CheckServices
}

/** @returns A function that checks a stored mail; see `Inbox.check`. */
export function createInboxCheck(
  deps: InboxChecksDeps,
  { find, details }: { find(id: string): Promise<EmailRecord>; details: Details },
): (id: string, options: InboxCheckOptions | undefined) => Promise<CheckReport> {
  const { reader } = deps
  const checkWhole = createMailChecks(deps.thread, deps.clock, {
    services: deps.services,
    queue: reader.outsideThread,
  })

  async function bytesOf({ id, message }: EmailRecord, signal?: AbortSignal): Promise<Buffer | null> {
    if (!message || message.size_bytes > maxAskedBytes) return null
    // The reader owns the bytes.
    return reader.bytes(messageBlob(id), async (bytes) => Buffer.from(bytes), signal)
  }

  async function knowledgeOf(email: EmailRecord, mail: Mail, signal?: AbortSignal): Promise<MailKnowledge> {
    const { records = [], complete = [], sendingHosts = [] } = deps.sending ?? {}
    const own = (await deps.recordsOf?.(mail)) ?? []
    // The zone file has the published records.
    const others = own.filter(({ name }) => !complete.includes(zoneOf(name) ?? name))
    const factsOf = (bytes: Buffer): Promise<RawFacts> =>
      deps.thread.run('rawFacts', [bytes], { size: bytes.length, signal })
    const raw = email.message && (await reader.bytes(messageBlob(email.id), factsOf, signal))
    return { records: [...records, ...others], complete, sendingHosts, raw }
  }

  return async (id, options) => {
    assertCheckOptions(options, 'inbox.check()', 'validation_error', ['live', 'signal'])
    const { except = deps.checks?.except, clients = deps.checks?.clients, live, signal } = options ?? {}
    const email = await find(id)
    const check = async (): Promise<CheckReport> => {
      const mail = await details.read(email, signal)
      const knowledge = await knowledgeOf(email, mail, signal)
      const raw = (): Promise<Buffer | null> => bytesOf(email, signal)
      return checkWhole(mail, { except, clients }, { raw, live, signal, knowledge })
    }
    return details.inTurn([email], check, signal)
  }
}
