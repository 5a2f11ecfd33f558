import { bytesAnswer, type Answer } from '../../server/answer.ts'

/** The answer of a request that changes something. */
export const ok: Answer = bytesAnswer('ok', { 'content-type': 'text/plain' })
/** What {@link ok} is in the document. */
export const okSuccess = { type: 'text/plain', description: '`ok`' } as const
