import { LocalpostError } from '../core/errors.ts'
import { plainError, reviveError, type PlainError } from '../core/job-worker.ts'
import { parseJsonBody } from '../core/json-body.ts'
import { longBodyBytes, LongBody } from '../core/long-body.ts'
import { restBeforeBytes, longBytes, type JobThread } from '../core/job-thread.ts'
import { isQuick, needsThread, quickSteps, type TemplateTexts } from '../templates/engines.ts'
import type { TemplateContent } from '../templates/template.ts'
import { requestSize } from './body-size.ts'
import { bodyHash } from './idempotency.ts'
import type { RequestKind } from './members.ts'
import { toStoredParts, type StoredParts } from './record.ts'
import { checkRequest, type Checked, type CheckDeps } from './check-request.ts'

/** Dependencies of {@link checkGiven}. */
export interface CheckGivenDeps extends CheckDeps {
  thread: JobThread<typeof sendJobs>
}

/** A request that can be stored, once the domain of its sender is known. */
export interface Storable extends Pick<Checked, 'addresses' | 'warnings'> {
  kept: StoredParts
}

/** The check of a request. */
export interface RequestCheck {
  /** `""` if the request is not repeatable. */
  body_hash: string
  /** Throws the errors of the request only now: a repeated one gets its earlier answer, which the hash finds, instead. */
  result(): Storable
}

/**
 * Checks a send request, a long one in the thread: a `LongBody`, or the argument of a call with long texts.
 *
 * @throws invalid_json, payload_too_large, service_unavailable.
 */
export async function checkGiven(
  input: unknown,
  deps: CheckGivenDeps & { isRepeatable: boolean },
): Promise<RequestCheck> {
  const { sources, strict, escapeHtml, kind, maxRecipients, isRepeatable, thread, findTemplate } = deps
  const facts: CheckFacts = { root: sources.root, strict, escapeHtml, kind, maxRecipients, isRepeatable }
  const [bytes, value] = input instanceof LongBody ? [input.take(), null] : [null, input]
  // The thread keeps the memory of its last message.
  if (bytes && bytes.length > restBeforeBytes) await thread.rest()
  // The bytes move to the thread and come back only in an answer that names a template: use them nowhere else.
  let answer = await check(bytes, value, facts, thread)
  if ('template_id' in answer) {
    const template = await findTemplate(answer.template_id)
    answer = await check(answer.bytes, value, { ...facts, template }, thread)
  }
  const { body_hash } = answer
  return {
    body_hash,
    result() {
      if ('storable' in answer) return answer.storable
      throw 'error' in answer ? reviveError(answer.error) : new Error('The template was not given.')
    },
  }
}

/** Checks in this thread what is short, and the rest in the other one. @param bytes  The body, in place of `value`. */
async function check(
  bytes: Buffer | null,
  value: unknown,
  facts: CheckFacts,
  thread: CheckGivenDeps['thread'],
): Promise<CheckAnswer> {
  const inThread = (): Promise<CheckAnswer> =>
    thread.run('send', [bytes, value, facts]).catch((error: unknown) => {
      // An argument that cannot be copied to a thread, because it contains a function for example, is checked here.
      if (error instanceof DOMException) return sendJobs.send(bytes, value, facts)
      throw error
    })
  const template = facts.template ?? null
  const size = bytes?.length ?? requestSize(value, template)
  // A whole message is parsed, which takes longer than the check of texts.
  const atOnce = isRaw(value) ? longBytes : longBodyBytes
  if (size > atOnce || !hasQuickTexts(value, template)) return inThread()
  const answer = await sendJobs.send(bytes, value, { ...facts, maxSteps: quickSteps })
  return 'error' in answer && needsThread(answer.error) ? inThread() : answer
}

/** What the check needs besides the request, as data. */
export interface CheckFacts extends Omit<CheckDeps, 'sources' | 'findTemplate'> {
  root: string | null
  isRepeatable: boolean
  /** The template of the request; null if it does not exist; absent before its id is known. */
  template?: TemplateContent | null
}

/** The result of the check, as data. */
type CheckAnswer = { body_hash: string } & (
  | { storable: Storable }
  | { error: PlainError }
  /** The check needs this template. `bytes` is the body, which the call took with it, back for the second call. */
  | { template_id: string; bytes: Buffer | null }
)

/** The check of send requests as work of the thread: from the body of a request, or from the argument of a call. */
export const sendJobs = {
  async send(bytes: Buffer | null, value: unknown, facts: CheckFacts): Promise<CheckAnswer> {
    const input = bytes ? parseJsonBody(bytes) : value
    const { root, template, isRepeatable, ...deps } = facts
    const body_hash = isRepeatable ? bodyHash(repeatedPart(input, facts.kind)) : ''
    const findTemplate = async (id: string): Promise<TemplateContent | null> => {
      if (template === undefined) throw new TemplateNeeded(id)
      return template
    }
    try {
      const checked = await checkRequest(input, { ...deps, sources: { root }, findTemplate })
      const { addresses, warnings } = checked
      return { body_hash, storable: { addresses, warnings, kept: toStoredParts(checked) } }
    } catch (error) {
      if (error instanceof TemplateNeeded) return { body_hash, template_id: error.id, bytes }
      if (error instanceof LocalpostError) return { body_hash, error: plainError(error) }
      throw error
    }
  },
  /** The requests of a call with several, which are then checked one by one. */
  'body of sends': (bytes: Buffer): unknown => parseJsonBody(bytes),
}

/** Ends a check that needs its template, which only the thread with the store can look up. */
class TemplateNeeded extends Error {
  readonly id: string

  constructor(id: string) {
    super('The check needs its template.')
    this.id = id
  }
}

// The id that an answer is to give is a new one at each repetition.
function repeatedPart(input: unknown, kind: RequestKind | undefined): unknown {
  if (kind !== 'whole' || typeof input !== 'object' || input === null) return input
  return { ...input, provider: undefined }
}

/** Whether the texts of a request are in a language that is read quickly. */
function hasQuickTexts(input: unknown, template: TemplateContent | null): boolean {
  if (typeof input !== 'object' || input === null) return true
  const isOwn = !template && typeof Reflect.get(input, 'rendering') !== 'object'
  if (isOwn || template?.engine === 'placeholders') return true
  return isQuick({ ...template, ...pickTexts(input) })
}

function pickTexts(input: object): TemplateTexts {
  const texts = ['subject', 'html', 'text'].map((name) => [name, Reflect.get(input, name)])
  return Object.fromEntries(texts.filter(([, value]) => typeof value === 'string'))
}

/** Whether a request has a whole message. */
const isRaw = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && typeof Reflect.get(input, 'raw') === 'string'
