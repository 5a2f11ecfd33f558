import type { SMTPServerDataStream } from 'smtp-server'
import { isErrorOf } from '../core/errors.ts'
import type { Reception } from './port.ts'
import type { Refusal } from './replies.ts'
import { lostAccess, refusal, refusalOf } from './replies.ts'

/** Answers one DATA: with a refusal, or with the text of the 250 reply. */
export type Answer = (refused: Refusal | null, text?: string) => void

/**
 * Passes the bytes of one DATA on, piece by piece with back-pressure, and answers when the message is stored.
 *
 * If the client disconnects, nothing is stored and nothing is answered. A message over the size limit is discarded at
 * once; the rest is read and dropped, because the client reads the reply only after it has sent everything.
 *
 * @param host.answer  Called at most once.
 * @param host.report  Called with every error that the client did not cause.
 * @param host.isAdmitted  Whether the message may be stored; asked at its end.
 */
export function receive(
  stream: SMTPServerDataStream,
  reception: Reception,
  {
    answer,
    report,
    isAdmitted,
  }: { answer: Answer; report: (error: unknown) => void; isAdmitted: () => boolean },
): void {
  let state: 'reading' | 'ended' | 'given up' = 'reading'

  const giveUp = (refused: Refusal | null): void => {
    if (state === 'given up') return
    state = 'given up'
    stream.removeListener('data', take)
    stream.resume()
    const discarded = reception.discard().catch(report)
    if (refused) void discarded.then(() => answer(refused))
  }
  const fail = (error: unknown): void => {
    report(error)
    giveUp(refusalOf(error))
  }
  const take = (piece: Buffer): void => {
    if (stream.sizeExceeded) return giveUp(tooLarge())
    try {
      const taken = reception.write(piece)
      if (!taken) return
      stream.pause()
      taken.then(() => stream.resume(), fail)
    } catch (error) {
      fail(error)
    }
  }
  const finish = async (): Promise<void> => {
    if (stream.sizeExceeded) return giveUp(tooLarge())
    if (!isAdmitted()) return giveUp(lostAccess())
    let text: string
    try {
      text = await reception.finish()
    } catch (error) {
      // A full queue is not an error of Localpost, and a flood of mail would report it often.
      if (!isErrorOf(error, 'service_unavailable')) report(error)
      return answer(refusalOf(error))
    }
    answer(null, text)
  }

  stream.on('data', take)
  stream.once('end', () => {
    if (state !== 'reading') return
    state = 'ended'
    finish().catch(report)
  })
  // smtp-server destroys the stream when the client disconnects.
  stream.once('error', () => giveUp(null))
  stream.once('close', () => {
    if (state === 'reading') giveUp(null)
  })
  stream.resume()
}

function tooLarge(): Refusal {
  return refusal(552, '5.3.4', 'The message is too large')
}
