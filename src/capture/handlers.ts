import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import { LocalpostError, quote } from '../core/errors.ts'
import { createFailedKeys } from '../keys/failed-keys.ts'
import { judgeCredentials, type AuthProblem, type SmtpUser } from './auth.ts'
import type { CaptureOptions } from './options.ts'
import type { Delays } from './delays.ts'
import { faultRefusal, meetFault } from './faults.ts'
import type { SmtpFault } from '../faults/types.ts'
import type { Verdict } from '../rules/verdicts.ts'
import { receive, type Answer } from './reception.ts'
import type { CaptureServer } from './server.ts'
import { refusal, refusalOf, type Refusal } from './replies.ts'
import { envelopeIdOf, envelopeOf, factsOf, isAdmitted, sideOf, userOf } from './session.ts'

/**
 * The handlers that smtp-server calls at each step of a transaction.
 *
 * @param delays  The clock for delayed answers.
 * @param connections.cut  Ends the connection of a session without a reply.
 * @param connections.reportClient  Reports credentials that are refused.
 * @param connections.notesOf  The transcript of a session.
 * @param connections.handOver  Lists a session at the account of its credentials.
 */
export function createHandlers(
  options: CaptureOptions,
  delays: Delays,
  connections: Pick<CaptureServer, 'cut' | 'notesOf' | 'reportClient' | 'handOver'>,
): Pick<SMTPServerOptions, 'onAuth' | 'onRcptTo' | 'onData'> {
  const { failedKeys = createFailedKeys(options.clock) } = options
  const report = (error: unknown): void => options.onError?.(error)

  // An API key of the wrong scope is right, so it is no guess.
  function authRefusal(problem: AuthProblem, address: string): Refusal {
    const reply = authReplies[problem]
    if (problem === 'scope') return refusal(535, '5.7.8', reply)
    const { code, message } = failedKeys.count(address, new LocalpostError('invalid_api_key', reply))
    // Further guesses need a new connection each.
    return code === 'rate_limit_exceeded' ? refusal(421, '4.7.0', message) : refusal(535, '5.7.8', reply)
  }

  function applyVerdict(
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
        // At shutdown a delivery is disconnected without a reply, so that it has no outcome and the email stays due.
        // A submission gets its answer at once.
        return void delays.after(verdict.delay_ms, answer, () =>
          userOf(session)?.is_outbox ? connections.cut(session, 'rule') : answer(),
        )
      case 'drop':
        return connections.cut(session, 'rule')
    }
  }

  return {
    onAuth(auth, session, callback) {
      const [name, password] = [auth.username ?? '', auth.password ?? '']
      const answer = (user: SmtpUser | AuthProblem): void => {
        if (typeof user !== 'string') {
          if (user.side) connections.handOver(session, user.side)
          return callback(null, { user })
        }
        if (user !== 'outbox') connections.reportClient(authFaults[user], session.remoteAddress, quote(name))
        callback(authRefusal(user, session.remoteAddress))
      }
      const judging = options.judgeAccount?.(name, password) ?? null
      if (judging === null) return answer(judgeCredentials(name, password, options))
      void (async () => {
        try {
          answer(await judging)
        } catch (error) {
          report(error)
          callback(refusalOf(error))
        }
      })()
    },
    onRcptTo({ address }, session, callback) {
      const isDelivery = userOf(session)?.is_outbox ?? false
      if (!isDelivery && !options.rejectSubmissions) return callback()
      const fail = (error: unknown): void => {
        report(error)
        callback(refusalOf(error))
      }
      try {
        const id = isDelivery ? envelopeIdOf(session) : `from ${envelopeOf(session).mail_from}`
        const verdict = sideOf(session, options).verdictOf(address, id)
        if (!(verdict instanceof Promise)) applyVerdict(verdict, session, callback)
        else verdict.then((given) => applyVerdict(given, session, callback), fail)
      } catch (error) {
        fail(error)
      }
    },
    onData(stream, session, callback) {
      if (userOf(session)?.is_outbox) {
        stream.once('end', () => callback(null, '2.6.0 OK: delivered'))
        stream.resume()
        return
      }
      const side = sideOf(session, options)
      const fault = side.faultAt('end')
      if (!(fault instanceof Promise)) return take(fault)
      fault.then(take, refuse)

      function refuse(error: unknown): void {
        report(error)
        stream.once('end', () => callback(refusalOf(error)))
        stream.resume()
      }

      function take(fault: SmtpFault | null): void {
        if (fault && (fault.disconnect || fault.code !== undefined)) {
          stream.once('end', () =>
            meetFault(fault, delays, {
              proceed: () => callback(null),
              refuse: (code, text) => {
                connections.notesOf(session)?.expectFault()
                callback(faultRefusal(code, text))
              },
              cut: () => connections.cut(session, 'fault'),
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
          const reception = side.submissions.begin(envelopeOf(session), facts)
          receive(stream, reception, { answer, report, isAdmitted: () => isAdmitted(session) })
        } catch (error) {
          report(error)
          callback(refusalOf(error))
        }
      }
    },
  }
}

const authFaults = { 'no-key': 'credentials', scope: 'scope' } as const
const authReplies: Readonly<Record<AuthProblem, string>> = {
  outbox: 'The credentials are not valid',
  'no-key': 'The credentials are not valid',
  scope: 'The API key has the scope read; sending needs send or full',
}
