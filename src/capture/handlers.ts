import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import { judgeCredentials } from './auth.ts'
import type { CaptureOptions } from './options.ts'
import type { Delays } from './delays.ts'
import { faultRefusal, meetFault } from './faults.ts'
import type { Verdict } from '../rules/verdicts.ts'
import { receive, type Answer } from './reception.ts'
import type { CaptureServer } from './server.ts'
import { refusal, refusalOf, type Refusal } from './replies.ts'
import { envelopeIdOf, envelopeOf, factsOf, userOf } from './session.ts'

/**
 * The handlers that smtp-server calls at each step of a transaction.
 *
 * @param delays  The clock for delayed answers.
 * @param connections.cut  Ends the connection of a session without a reply.
 * @param connections.notesOf  The transcript of a session.
 */
export function createHandlers(
  options: CaptureOptions,
  delays: Delays,
  connections: Pick<CaptureServer, 'cut' | 'notesOf'>,
): Pick<SMTPServerOptions, 'onAuth' | 'onRcptTo' | 'onData'> {
  const cut = (session: SMTPServerSession): void => connections.cut(session)
  const report = (error: unknown): void => options.onError?.(error)

  function meetVerdict(
    verdict: Verdict,
    session: SMTPServerSession,
    answer: (refused?: Refusal) => void,
  ): void {
    switch (verdict.action) {
      case 'accept':
        return answer()
      case 'reject':
        return answer(refusal(verdict.reply_code, verdict.enhanced_code, verdict.text))
      case 'delay':
        // At shutdown a delivery is disconnected without a reply. It then has no outcome, and the email stays due.
        return void delays.after(verdict.delay_ms, answer, () =>
          userOf(session)?.is_outbox ? cut(session) : answer(),
        )
      case 'drop':
        return cut(session)
    }
  }

  return {
    onAuth(auth, _session, callback) {
      const user = judgeCredentials(auth.username ?? '', auth.password ?? '', options)
      if (user) callback(null, { user })
      else callback(refusal(535, '5.7.8', 'The credentials are not valid'))
    },
    onRcptTo({ address }, session, callback) {
      const isDelivery = userOf(session)?.is_outbox ?? false
      if (!isDelivery && !options.rejectSubmissions) return callback()
      try {
        const id = isDelivery ? envelopeIdOf(session) : `from ${envelopeOf(session).mail_from}`
        meetVerdict(options.verdictOf(address, id), session, callback)
      } catch (error) {
        report(error)
        callback(refusalOf(error))
      }
    },
    onData(stream, session, callback) {
      if (userOf(session)?.is_outbox) {
        stream.once('end', () => callback(null, '2.6.0 OK: delivered'))
        stream.resume()
        return
      }
      const fault = options.faultAt('end')
      if (fault && (fault.disconnect || fault.code !== undefined)) {
        stream.once('end', () =>
          meetFault(fault, delays, {
            proceed: () => callback(null),
            refuse: (code, text) => callback(faultRefusal(code, text)),
            cut: () => cut(session),
          }),
        )
        stream.resume()
        return
      }
      const answer: Answer = (refused, text) => {
        if (fault) delays.after(fault.delay_ms ?? 0, () => callback(refused, text))
        else callback(refused, text)
      }
      try {
        const facts = factsOf(session, connections.notesOf(session)?.current ?? null)
        receive(stream, options.submissions.begin(envelopeOf(session), facts), answer, report)
      } catch (error) {
        report(error)
        callback(refusalOf(error))
      }
    },
  }
}
