import type { Clock } from '../core/clock.ts'
import { contentBlob, messageBlob, type EmailRecord } from '../emails/email.ts'
import { verifyDkim } from '../mime/dkim/verify.ts'
import { bodyIsCut, type ParsedFacts } from '../mime/parse.ts'
import { readFindings } from '../reading/jobs.ts'
import type { Reader } from '../reading/reader.ts'
import { digestOf, type Digests } from '../search/digests.ts'
import type { Store } from '../store/store.ts'
import { createKeyFinder } from './signing-keys.ts'
import type { Mail, TranscriptLine } from './types.ts'
import { toMail } from './views.ts'

interface DetailDeps {
  store: Store
  reader: Reader
  clock: Clock
  digests: Digests
  /** The SMTP transcript of a submission; null if it is not kept. Default: no transcripts. */
  transcriptOf?(id: string, sizeBytes: number): TranscriptLine[] | null | Promise<TranscriptLine[] | null>
}

/** @returns A function that reads everything that the inbox shows of one mail. */
export function createDetails(deps: DetailDeps): (email: EmailRecord) => Promise<Mail> {
  const { store, reader, clock, digests } = deps
  const findKey = createKeyFinder(store)

  const transcriptOf = async ({ id, message }: EmailRecord): Promise<TranscriptLine[] | null> =>
    (await deps.transcriptOf?.(id, message?.size_bytes ?? 0)) ?? null

  async function verify(email: EmailRecord, headers: ParsedFacts['headers'] = []): Promise<Mail['dkim']> {
    if (!headers.some(([name]) => name.toLowerCase() === 'dkim-signature')) return null
    return reader.bytes(messageBlob(email.id), (bytes) => verifyDkim(bytes, findKey, clock.now()))
  }

  async function ofSubmission(email: EmailRecord): Promise<Mail> {
    const message = email.message && (await reader.mail(messageBlob(email.id)))
    const { links, codes, clipped } = message ?? (await readFindings({ ...empty, subject: email.subject }))
    const digest = email.snippet === null && message ? digestOf(message) : await digests.of(email)
    const dkim = await verify(email, message?.headers)
    const facts = { links, codes, clipped, dkim, transcript: await transcriptOf(email) }
    return toMail(email, digest, message ?? empty, message, facts)
  }

  /** The bodies are read last, so that they are not in memory while other reads wait. */
  async function ofSend(email: EmailRecord): Promise<Mail> {
    const message = email.message && (await reader.facts(messageBlob(email.id)))
    const dkim = await verify(email, message?.headers)
    const shown = await reader.shownContent(contentBlob(email.id))
    const { isCut, ...content } = shown ?? { ...empty, isCut: false }
    const { links, codes, clipped } = await readFindings({ ...content, subject: email.subject })
    const limits = [isCut ? bodyIsCut : null, clipped].filter((said) => said !== null).join(' ') || null
    const facts = { links, codes, clipped: limits, dkim, transcript: await transcriptOf(email) }
    return toMail(email, await digests.of(email), content, message, facts)
  }

  return (email) => (email.source === 'api' ? ofSend(email) : ofSubmission(email))
}

const empty = { html: '', text: '' }
