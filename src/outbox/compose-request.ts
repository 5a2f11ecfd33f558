import { randomUUID } from 'node:crypto'
import type { AttachmentSources } from '../attachments/attachments.ts'
import type { Clock } from '../core/clock.ts'
import { checkGiven, type CheckGivenDeps } from '../sending/check-in-thread.ts'
import type { SendingRequest } from '../sending/types.ts'
import { assertSize, jobOptions, loadReferenced, type WriteDeps } from './write.ts'

/** Dependencies of composing a message that is not sent. */
export interface ComposeDeps extends Omit<CheckGivenDeps, 'thread' | 'sources' | 'kind' | 'strict'> {
  clock: Pick<Clock, 'now'>
  sources: AttachmentSources
  thread: CheckGivenDeps['thread'] & WriteDeps['thread']
}

/**
 * Checks a whole request as a send is checked, and writes its message, which is neither signed nor sent. Its sender may
 * be of any domain.
 *
 * @throws validation_error, invalid_attachment, message_too_large.
 */
export async function composeRequest(request: SendingRequest, deps: ComposeDeps): Promise<Uint8Array> {
  const { thread, sources, clock } = deps
  // The option `strict` applies to requests of apps only.
  const asWholeRequest = { isRepeatable: false, kind: 'whole', strict: false, maxRecipients } as const
  const { result } = await checkGiven(request, { ...deps, ...asWholeRequest })
  const { addresses, kept } = result()
  const json = Buffer.from(kept.content)
  const references = kept.attachments && Buffer.from(kept.attachments)
  const attachments = await loadReferenced(references, sources, thread)
  const size = attachments.reduce((sum, { content }) => sum + content.length, json.length)
  const { from_address } = addresses
  const fields = {
    from: addresses.from,
    reply_to: addresses.reply_to,
    subject: kept.members.subject,
    attachments,
    message_id: `<${randomUUID()}@${from_address.slice(from_address.lastIndexOf('@') + 1)}>`,
    date: new Date(clock.now()),
  }
  const { parts, size_bytes } = await thread.run('message', [json, fields, null, null], jobOptions(size))
  assertSize(size_bytes)
  return Buffer.concat(parts, size_bytes)
}

/** As many as a message that is imported may have. */
const maxRecipients = 1000
