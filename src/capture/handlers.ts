import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import { LocalpostError, isErrorOf } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { judgeCredentials, smtpUserOf, type AuthProblem, type SmtpUser, isAdmitted } from './auth.ts'
import { isOnlyDelay, applyFault } from './faults.ts'
import type { CaptureOptions } from './options.ts'
import type { AccountSide, Envelope } from './account-side.ts'
import { Refusal, refusalOf, lostAccess, messageTooLarge } from './replies.ts'
import type { CaptureServer } from './server.ts'
import type { SessionNotes } from './session-notes.ts'
import type { SubmissionReception } from '../emails/receive.ts'

/** The handlers that smtp-server calls at each step of a transaction. */
export function createHandlers(
  options: CaptureOptions,
  server: CaptureServer,
): Pick<SMTPServerOptions, 'onConnect' | 'onMailFrom' | 'onAuth' | 'onRcptTo' | 'onData'> {
  const sideOf = (session: SMTPServerSession): AccountSide => smtpUserOf(session)?.side ?? options
  const notesOf = (session: SMTPServerSession): SessionNotes | undefined =>
    server.connectionOf(session)?.notes

  /** Answers what a step of a transaction returns or throws. Null: the connection has ended. */
  async function answer<T>(
    session: SMTPServerSession,
    callback: (refused: Refusal | null, result?: T) => void,
    step: Promise<T | null>,
  ): Promise<void> {
    let result: T | null = null
    let refused: Refusal | null = null
    try {
      result = await step
    } catch (error) {
      refused = refusalOf(error)
      if (refused !== error) options.onError?.(error)
      if (refused.problem) notesOf(session)?.expect(refused.problem)
    }
    try {
      if (refused) callback(refused)
      else if (result !== null) callback(null, result)
    } catch (error) {
      options.onError?.(error)
    }
  }

  async function authenticate(
    name: string,
    password: string,
    session: SMTPServerSession,
  ): Promise<{ user: SmtpUser }> {
    const user = (await options.judgeAccount?.(name, password)) ?? judgeCredentials(name, password, options)
    if (typeof user === 'string') {
      if (user !== 'outbox') server.reportClient(authFaults[user], session.remoteAddress, quote(name))
      throw authRefusal(user, session.remoteAddress, options.failedLogins)
    }
    if (user.side) server.handOver(session, user.side)
    return { user }
  }

  /** @returns null if the connection is cut. */
  async function judgeRecipient(address: string, session: SMTPServerSession): Promise<true | null> {
    const isDelivery = smtpUserOf(session)?.isOutbox ?? false
    // The outbox gives the id of the email as ENVID (RFC 3461).
    const transaction = isDelivery
      ? (session.envelope.dsn?.envid ?? null)
      : `from ${envelopeOf(session).mail_from}`
    const verdict = await sideOf(session).verdictOf(address, transaction)
    if (verdict.action === 'accept') return true
    if (verdict.action === 'reject')
      throw new Refusal(verdict.reply_code, `${verdict.enhanced_code} ${verdict.text}`)
    if (verdict.action === 'delay') {
      // At shutdown a delivery is disconnected without a reply, so that it has no outcome and the email stays due. A
      // submission gets its answer at once.
      const isWhole = await waitFor(verdict.delay_ms, server.clock)
      if (isWhole || !isDelivery) return true
    }
    server.connectionOf(session)?.cut('rule')
    return null
  }

  /** @returns The text of the 250 reply; null if the connection is cut, or the client has left. */
  async function takeMessage(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
  ): Promise<string | null> {
    if (smtpUserOf(session)?.isOutbox) return (await drainMessage(stream)) ? '2.6.0 OK: delivered' : null
    const side = sideOf(session)
    const found = side.faultAt('end')
    // Not awaited if there is none, which would take a turn: the bytes may be here already.
    const fault = found && (await found)
    if (fault && !isOnlyDelay(fault)) return refuseMessage(stream, session, fault)
    const reception = side.receive(envelopeOf(session), notesOf(session)?.current ?? null)
    const text = await receiveMessage(stream, reception, session, options.onError)
    // The message is stored, and the reply comes later.
    if (fault && text !== null) await applyFault(fault, server.clock)
    return text
  }

  /** Reads the message, and refuses it or cuts the connection. @returns null in the second case, or if the client has left. */
  async function refuseMessage(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    fault: Parameters<typeof applyFault>[0],
  ): Promise<null> {
    if (!(await drainMessage(stream))) return null
    const outcome = await applyFault(fault, server.clock)
    if (outcome instanceof Refusal) throw outcome
    server.connectionOf(session)?.cut('fault')
    return null
  }

  return {
    // The base would delay each of these two by a turn of the event loop, without need.
    onConnect: (_session, callback) => callback(),
    onMailFrom: (_address, _session, callback) => callback(),
    onAuth: ({ username, password }, session, callback) =>
      void answer(session, callback, authenticate(username ?? '', password ?? '', session)),
    onRcptTo({ address }, session, callback) {
      // At once, so that its reply is sent together with those to other pipelined commands.
      if (!options.rejectSubmissions && !smtpUserOf(session)?.isOutbox) return callback()
      void answer(session, callback, judgeRecipient(address, session))
    },
    onData: (stream, session, callback) => void answer(session, callback, takeMessage(stream, session)),
  }
}

/** What a client is told whose login is refused. An API key of the wrong scope is right, so it is no guess. */
function authRefusal(
  problem: AuthProblem,
  address: string,
  failedLogins: CaptureOptions['failedLogins'],
): Refusal {
  const reply = authReplies[problem]
  const refused = new Refusal(535, `5.7.8 ${reply}`)
  if (problem === 'scope') return refused
  const { code, message } = failedLogins.countFailure(address, new LocalpostError('invalid_api_key', reply))
  // Further guesses need a new connection each.
  return code === 'rate_limit_exceeded' ? new Refusal(421, `4.7.0 ${message}`) : refused
}

/** @returns Whether all of the time has passed; otherwise the server closes. */
function waitFor(ms: number, clock: CaptureServer['clock']): Promise<boolean> {
  return new Promise((resolve) => {
    clock.after(
      ms,
      () => resolve(true),
      () => resolve(false),
    )
  })
}

function envelopeOf({ envelope: { mailFrom, rcptTo } }: SMTPServerSession): Envelope {
  return { mail_from: mailFrom ? mailFrom.address : '', rcpt_to: rcptTo.map(({ address }) => address) }
}

const authFaults = { 'no-key': 'credentials', scope: 'scope' } as const
const notValid = 'The credentials are not valid'
const authReplies: Readonly<Record<AuthProblem, string>> = {
  outbox: notValid,
  'no-key': notValid,
  scope: 'The API key has the scope read; sending needs send or full',
}

/**
 * Passes the bytes of a message on, piece by piece with back-pressure, and stores it. What is refused is discarded at
 * once; the rest is read and dropped, because the client reads the reply only after it has sent everything.
 *
 * @returns The text of the 250 reply; null if the client has left.
 */
async function receiveMessage(
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
    // The reply does not wait for this, and the error that matters is known. After `store_unknown`, the message may be stored.
    if (!isErrorOf(error, 'store_unknown')) void reception.discard().catch(() => {})
    // A full queue is not an error of Localpost, and a flood of mail would report it often.
    throw isErrorOf(error, 'service_unavailable') ? refusalOf(error) : error
  }
}

/** Reads a message to its end. @returns Whether all of it came. */
function drainMessage(stream: SMTPServerDataStream): Promise<boolean> {
  // The client may have left while a fault was looked for.
  if (stream.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    stream.once('end', () => resolve(true)).once('close', () => resolve(false))
    stream.resume()
  })
}
