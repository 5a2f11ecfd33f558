import { fieldsOf } from '../core/header-fields.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { joinSentences } from '../core/text.ts'
import { findOwnKey } from '../domains/dkim-keys.ts'
import { contentBlob, messageBlob, type EmailRecord } from '../emails/email.ts'
import { signersOf } from '../mime/dkim/verify.ts'
import { bodyIsCut, type ParsedFacts } from '../mime/parse.ts'
import type { SignerKey } from '../reading/jobs.ts'
import { digestOfBodies, type Digests } from '../search/digests.ts'
import type { Store } from '../store/store.ts'
import type { Mail, TranscriptLine } from './types.ts'
import { toMail } from './views.ts'
import type { Reader } from '../reading/reader.ts'

export interface DetailDeps {
  store: Store
  reader: Reader
  /** The instance's time, in milliseconds. */
  now(): number
  digests: Digests
  /** The SMTP transcript of a submission; null if it is not kept. Default: no transcripts. */
  transcriptOf?(id: string, sizeBytes: number): TranscriptLine[] | null | Promise<TranscriptLine[] | null>
}

/**
 * Reads whole mails: everything that the inbox shows of them. A signal ends the work of its caller, which then throws
 * the reason of the signal.
 */
export interface Details {
  read(email: EmailRecord, signal?: AbortSignal): Promise<Mail>
  /** Runs work that reads these mails and holds them. Large mails take turns, so that those that wait are not in memory. */
  inTurn<T>(emails: readonly EmailRecord[], work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Gives back the memory that reading this mail left, if it is large, before another one is read. */
  rest(email: EmailRecord): Promise<void>
}

export function createDetails(deps: DetailDeps): Details {
  const { store, reader, now, digests } = deps
  const shared = createSharedWork()

  const transcriptOf = async ({ id, message }: EmailRecord): Promise<TranscriptLine[] | null> =>
    (await deps.transcriptOf?.(id, message?.size_bytes ?? 0)) ?? null

  async function verify(
    email: EmailRecord,
    { headers }: Pick<ParsedFacts, 'headers'>,
    signal: AbortSignal,
  ): Promise<Mail['dkim']> {
    const signatures = fieldsOf(headers, 'dkim-signature')
    if (signatures.length === 0) return null
    const keys: SignerKey[] = []
    for (const { domain, selector } of signersOf(signatures)) {
      const key = await findOwnKey(store, domain, selector)
      if (key) keys.push({ domain, selector, key })
    }
    return reader.signatures(messageBlob(email.id), keys, now(), signal)
  }

  async function ofSubmission(email: EmailRecord, signal: AbortSignal): Promise<Mail> {
    const message = email.message && (await reader.mail(messageBlob(email.id), signal))
    const { links, codes, clipped } =
      message ?? (await reader.findings({ ...empty, subject: email.subject }, null, signal))
    const digest =
      email.snippet === null && message ? digestOfBodies(message) : await digests.of(email, signal)
    const dkim = await verify(email, message ?? { headers: [] }, signal)
    const facts = { links, codes, clipped, dkim, transcript: await transcriptOf(email) }
    return toMail(email, digest, message ?? empty, message, facts)
  }

  /** The bodies are read last, so that they are not in memory while other reads wait. */
  async function ofSend(email: EmailRecord, signal: AbortSignal): Promise<Mail> {
    const message = email.message && (await reader.facts(messageBlob(email.id), signal))
    const dkim = await verify(email, message ?? { headers: [] }, signal)
    const shown = await reader.shownContent(contentBlob(email.id), signal)
    const { isCut, ...content } = shown ?? { ...empty, isCut: false }
    const found = { ...content, subject: email.subject }
    const { links, codes, clipped } = await reader.findings(found, contentBlob(email.id), signal)
    const limits = joinSentences([isCut ? bodyIsCut : null, clipped])
    const facts = { links, codes, clipped: limits, dkim, transcript: await transcriptOf(email) }
    return toMail(email, await digests.of(email, signal), content, message, facts)
  }

  const sizeOf = async ({ id, message }: EmailRecord): Promise<number> =>
    message?.size_bytes ?? (await store.blobSize(contentBlob(id))) ?? 0

  async function inOwnTurn(email: EmailRecord, signal: AbortSignal): Promise<Mail> {
    const read = email.source === 'api' ? ofSend : ofSubmission
    return reader.readWhole(await sizeOf(email), () => read(email, signal), signal)
  }

  return {
    async read(email, caller) {
      const key = `${email.id} ${email.version}`
      return { ...(await shared.run(key, (signal) => inOwnTurn(email, signal), caller)) }
    },
    async inTurn(emails, work, signal) {
      let bytes = 0
      for (const email of emails) bytes += await sizeOf(email)
      return reader.workOnWhole(bytes, work, signal)
    },
    async rest(email) {
      await reader.restAfterMail(await sizeOf(email))
    },
  }
}

const empty = { html: '', text: '' }
