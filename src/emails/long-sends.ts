import { plainError, reviveError, type PlainError } from '../core/errors.ts'
import { longBytes, LongBody, parseJsonBody } from '../core/json-body.ts'
import { heavyBytes, type JobThread } from '../core/job-thread.ts'
import type { TemplateContent } from '../templates/template.ts'
import { bodyHash } from './idempotency.ts'
import {
  checkRequest,
  keep,
  withDomain,
  type Accepted,
  type Checked,
  type Kept,
  type SendDeps,
} from './send.ts'

/** Dependencies of {@link checkLong}. */
export interface LongSendDeps extends SendDeps {
  thread: JobThread<typeof sendJobs>
}

/** The data that the check in the thread needs besides the request. */
interface LongSendFacts {
  root: string | null
  strict: boolean
  escapeHtml: boolean
  isRepeatable: boolean
  /** The template of the request; null if it does not exist; absent before its id is known. */
  template?: TemplateContent | null
}

/** The result of the check in the thread. */
type LongSendAnswer = { body_hash: string } & (
  | { checked: Pick<Checked, 'addresses' | 'warnings'> & { kept: Kept } }
  | { error: PlainError }
  /** The template is needed for the check. `bytes` is the body, for the second call. */
  | { template_id: string; bytes: Buffer | null }
)

/** The check of long send requests as work of the thread: from the body of a request, or from the argument of a call. */
export const sendJobs = {
  async send(bytes: Buffer | null, value: unknown, facts: LongSendFacts): Promise<LongSendAnswer> {
    const input = bytes ? parseJsonBody(bytes) : value
    const body_hash = facts.isRepeatable ? bodyHash(input) : ''
    let missing: string | null = null
    const { root, strict, escapeHtml, template } = facts
    const findTemplate = async (id: string): Promise<TemplateContent | null> => {
      if (template === undefined) missing = id
      return template ?? null
    }
    try {
      const checked = await checkRequest(input, { sources: { root }, strict, escapeHtml, findTemplate })
      const { addresses, warnings } = checked
      if (missing === null) return { body_hash, checked: { addresses, warnings, kept: keep(checked) } }
    } catch (error) {
      // Without the template, a request may have errors that it does not have with it.
      if (missing === null) return { body_hash, error: plainError(error) }
    }
    return { body_hash, template_id: missing, bytes }
  },
}

/** Whether a send request is checked in the thread: a body, or the argument of a call with long texts. */
export function isLong(input: unknown): input is object {
  return input instanceof LongBody || textLength(input, 3) > longBytes
}

function textLength(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.length
  if (levels === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0
  return Object.values(value).reduce<number>((sum, member) => sum + textLength(member, levels - 1), 0)
}

/**
 * Checks a long send request in the thread, so that the event loop is not blocked.
 *
 * @returns The hash of its body if it may be repeated, and what completes the check.
 * @throws invalid_json, payload_too_large, service_unavailable. Everything that `checkSend` throws comes from `check`.
 */
export async function checkLong(
  input: object,
  isRepeatable: boolean,
  deps: LongSendDeps,
): Promise<{ body_hash: string; check(): Promise<Omit<Accepted, 'request' | 'rendered'> & { kept: Kept }> }> {
  const { sources, strict, escapeHtml, thread, findTemplate } = deps
  const facts: LongSendFacts = { root: sources.root, strict, escapeHtml, isRepeatable }
  const value = input instanceof LongBody ? null : input
  const bytes = input instanceof LongBody ? input.take() : null
  // The thread keeps the memory of its last message.
  if (bytes && bytes.length > heavyBytes) await thread.rest()
  // An argument that cannot be copied to a thread, because it contains a function for example, is checked here.
  const run = (...given: Parameters<typeof sendJobs.send>): Promise<LongSendAnswer> =>
    thread.run('send', given).catch((error: unknown) => {
      if (error instanceof DOMException) return sendJobs.send(...given)
      throw error
    })
  let answer = await run(bytes, value, facts)
  if ('template_id' in answer) {
    const template = await findTemplate(answer.template_id)
    answer = await run(answer.bytes, value, { ...facts, template })
  }
  const { body_hash } = answer
  return {
    body_hash,
    async check() {
      if ('checked' in answer) return withDomain(answer.checked, deps)
      throw reviveError('error' in answer ? answer.error : 'The template was not given.')
    },
  }
}
