import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { isErrorOf } from '../core/errors.ts'
import type { SubmissionReception } from '../emails/receive.ts'
import { isAdmitted } from './auth.ts'
import { lostAccess, refusalOf, messageTooLarge } from './replies.ts'

/**
 * Passes the bytes of a message on, piece by piece with back-pressure, and stores it. What is refused is discarded at
 * once; the rest is read and dropped, because the client reads the reply only after it has sent everything.
 *
 * @returns The text of the 250 reply; null if the client has left.
 */
export async function receiveMessage(
  stream: SMTPServerDataStream,
  reception: SubmissionReception,
  session: SMTPServerSession,
  onError?: (error: unknown) => void,
): Promise<string | null> {
  let failure: unknown
  let pending = Promise.resolve()
  const discard = (): Promise<void> => reception.discard().catch((error: unknown) => onError?.(error))
  const fail = (error: unknown): Promise<void> => {
    failure = error
    return discard()
  }
  stream.on('data', (piece: Buffer) => {
    if (failure) return
    try {
      if (stream.sizeExceeded) throw messageTooLarge()
      const written = reception.write(piece)
      if (!written) return
      stream.pause()
      pending = written.catch(fail).then(() => void stream.resume())
    } catch (error) {
      pending = fail(error)
    }
  })
  const isWhole = await drainMessage(stream)
  await pending
  if (failure) throw failure
  if (!isWhole) {
    await discard()
    return null
  }
  if (!isAdmitted(session)) {
    await discard()
    throw lostAccess()
  }
  try {
    return await reception.finish()
  } catch (error) {
    // A full queue is not an error of Localpost, and a flood of mail would report it often.
    throw isErrorOf(error, 'service_unavailable') ? refusalOf(error) : error
  }
}

/** Reads a message to its end. @returns Whether all of it came. */
export function drainMessage(stream: SMTPServerDataStream): Promise<boolean> {
  // The client may have left while a fault was looked for.
  if (stream.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    stream.once('end', () => resolve(true)).once('close', () => resolve(false))
    stream.resume()
  })
}
