import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { addressKey } from '../mime/addresses.ts'
import { guardedLookup, literalProblem } from '../net/guarded-request.ts'
import { isLoopback } from '../net/hosts.ts'
import type { CheckDestination } from '../net/outgoing.ts'
import { parseReply, type SmtpReply } from './bounces.ts'
import { sendExtended, type MessageNeeds } from './extensions.ts'

/** Hands messages to a mail server over SMTP. */
export interface Transport {
  /**
   * Delivers one message.
   *
   * @param delivery  `id` goes with it as ENVID, so that the capture server knows what it gets.
   * @returns For every recipient the server's own last word: the reply to RCPT where it was refused there, else the
   *   reply to the end of data; a `reply_code` of 0 where the connection broke before one came. Never throws.
   */
  deliver(delivery: Delivery): Promise<Map<string, SmtpReply>>
  close(): void
}

export interface Delivery {
  id: string
  mail_from: string
  rcpt_to: readonly string[]
  message: Readable
  /** What the message needs beyond plain SMTP. Default: nothing. */
  needs?: MessageNeeds
}

export interface TransportOptions {
  host: string
  port: number
  /** TLS from the first byte; otherwise STARTTLS where the server offers it, unless `plain`. */
  secure?: boolean
  /** Never TLS: for the connection to the instance's own capture server. */
  plain?: boolean
  auth?: { user: string; pass: string }
  /** Refuses to go on without TLS. */
  requireTls?: boolean
  /** Says which addresses may be connected to. Default: all. */
  problemOf?: CheckDestination
  /** Name for EHLO: the `reporting_mta`. */
  hostname: string
  maxConnections: number
  /** Whether its connections keep the process alive. Default: true. */
  keepAlive?: boolean
}

/** A pool of SMTP connections to one server; nothing is connected or loaded before the first delivery. */
export function createTransport(options: TransportOptions): Transport {
  let pool: Promise<Pool> | null = null
  let isClosed = false
  let alone: Promise<unknown> = Promise.resolve()

  // One after the other: such messages are few, and a server may limit connections.
  function sendAlone(mail: Mail, needs: MessageNeeds): Promise<SentInfo> {
    const sent = alone.then(async () => {
      if (isClosed) throw new Error('The connection is closed')
      const { connection } = await new Promise<{ connection: Socket }>((resolve, reject) => {
        openSocket(options, (error, socket) => (socket ? resolve(socket) : reject(error)))
      })
      return sendExtended({ ...connectionOptions(options), connection }, options.auth, mail, needs)
    })
    alone = sent.catch(() => {})
    return sent
  }

  return {
    async deliver({ id, mail_from, rcpt_to, message, needs }) {
      const replies = new Map<string, SmtpReply>()
      try {
        if (isClosed) throw new Error('The connection is closed')
        const mail = { envelope: { from: mail_from, to: [...rcpt_to] }, dsn: { id }, raw: message }
        const info =
          needs?.eightBit || needs?.utf8
            ? await sendAlone(mail, needs)
            : await hand(await (pool ??= openPool(options)), mail)
        collectRefusals(info.rejectedErrors, rcpt_to, replies)
        for (const recipient of rcpt_to)
          if (!replies.has(recipient)) replies.set(recipient, parseReply(info.response))
      } catch (error) {
        message.destroy()
        const failure: SmtpFailure = error instanceof Error ? error : new Error(String(error))
        collectRefusals(failure.rejectedErrors, rcpt_to, replies)
        const common = replyOf(failure)
        for (const recipient of rcpt_to) if (!replies.has(recipient)) replies.set(recipient, common)
      }
      return replies
    },
    close() {
      if (isClosed) return
      isClosed = true
      void pool?.then((open) => open.close())
    },
  }
}

/**
 * The server that a relay URL names. User and password go to it over TLS, or within this machine.
 *
 * @param given.insecureAuth  Lets them go without TLS. Default: false.
 */
export function relayOptions(
  url: string,
  { hostname, insecureAuth = false }: { hostname: string; insecureAuth?: boolean },
): TransportOptions {
  const { protocol, hostname: name, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const host = name.replace(/^\[|\]$/g, '')
  return {
    host,
    requireTls: username !== '' && !secure && !insecureAuth && !isLoopback(host),
    port: port === '' ? (secure ? 465 : 25) : Number(port),
    secure,
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    hostname,
    maxConnections: 2,
  }
}

interface SmtpFailure extends Error {
  response?: string
  code?: string
  recipient?: string
  rejectedErrors?: readonly SmtpFailure[]
}

interface Mail {
  envelope: { from: string; to: string[] }
  dsn: { id: string }
  raw: Readable
}

interface SentInfo {
  response: string
  rejectedErrors?: readonly SmtpFailure[]
}

interface Pool {
  sendMail(mail: Mail): Promise<SentInfo>
  close(): void
  transporter: { send(mail: PoolMail, done: (error: Error | null, info?: SentInfo) => void): unknown }
}

/** What of a mail the pool declares, and it asks for less. */
interface PoolMail {
  data: object
  message: unknown
}

/** All that the pool asks of a message. */
interface PoolMessage {
  getHeader(): string
  messageId(): string
  getEnvelope(): Mail['envelope']
  createReadStream(): Readable
}

/**
 * Gives a mail to the pool directly. The layer above builds a tree of the message and parses the addresses of the
 * envelope, which most mails do not need and which costs a tenth of a delivery.
 */
function hand(pool: Pool, mail: Mail): Promise<SentInfo> {
  const { envelope, dsn, raw } = mail
  if (![envelope.from, ...envelope.to].every((address) => address === '' || isPlain(address)))
    return pool.sendMail(mail)
  const message: PoolMessage = {
    // For its log, which is off.
    getHeader: () => '',
    messageId: () => '',
    getEnvelope: () => envelope,
    createReadStream: () => raw,
  }
  return new Promise((resolve, reject) => {
    pool.transporter.send({ data: { dsn }, message }, (error, info) => {
      if (info && !error) resolve(info)
      else reject(error ?? new Error('The pool gave no answer'))
    })
  })
}

/** Whether an address goes into the envelope as it is: nothing to quote, and no domain to write in another way. */
function isPlain(address: string): boolean {
  return /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(
    address,
  )
}

async function openPool(options: TransportOptions): Promise<Pool> {
  const { createTransport: createPool } = await import('nodemailer')
  return createPool({
    ...connectionOptions(options),
    pool: true,
    ...(options.auth ? { auth: { type: 'login' as const, ...options.auth } } : {}),
    maxConnections: options.maxConnections,
    maxMessages: Number.POSITIVE_INFINITY,
    // The pool would send the message a second time from a stream that is read already; the outbox opens a new one.
    maxRequeues: 0,
    getSocket: (_given: unknown, done: SocketDone) => openSocket(options, done),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function connectionOptions(options: TransportOptions): SMTPConnectionOptions {
  return {
    host: options.host,
    port: options.port,
    secure: options.secure ?? false,
    ignoreTLS: options.plain ?? false,
    requireTLS: options.requireTls ?? false,
    name: options.hostname,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: 10_000,
    // A rule may have the own server wait a minute before it answers.
    socketTimeout: options.plain ? 90_000 : 30_000,
  }
}

type SocketDone = (error: Error | null, socket?: { connection: Socket }) => void

/** Opens a connection to an address that may be connected to, in the way in which nodemailer asks for one. */
function openSocket({ host, port, problemOf, keepAlive = true }: TransportOptions, done: SocketDone): void {
  const problem = problemOf ? literalProblem(host, port, problemOf) : null
  if (problem !== null) return done(new Error(problem))
  const socket = connect({
    host,
    port,
    ...(problemOf ? { lookup: guardedLookup(host, port, { problemOf }) } : {}),
  })
  const fail = (error: Error): void => done(error)
  // While it connects it does keep the process: only a time-out bounds that.
  const giveUp = (): void => void socket.destroy(new Error('Connection timeout'))
  socket
    .setTimeout(connectTimeoutMs, giveUp)
    .once('error', fail)
    .once('connect', () => {
      socket.off('error', fail).setTimeout(0, giveUp)
      done(null, { connection: keepAlive ? socket : socket.unref() })
    })
}

const connectTimeoutMs = 10_000

// nodemailer writes the domain of a recipient in lower case, and may write it in the other kind of labels.
function collectRefusals(
  refusals: readonly SmtpFailure[] | undefined,
  rcptTo: readonly string[],
  replies: Map<string, SmtpReply>,
): void {
  for (const refusal of refusals ?? []) {
    const refused = addressKey(refusal.recipient ?? '')
    for (const recipient of rcptTo)
      if (addressKey(recipient) === refused) replies.set(recipient, replyOf(refusal))
  }
}

function replyOf(failure: SmtpFailure): SmtpReply {
  if (failure.code === 'ETLS') return { reply_code: 0, enhanced_code: null, text: noTls }
  if (failure.response) return parseReply(failure.response)
  // The pool has several texts for it, some of them about itself.
  const text = failure.code === 'ECONNECTION' ? 'Connection closed unexpectedly' : failure.message
  return { reply_code: 0, enhanced_code: null, text }
}

const noTls =
  'The relay offers no TLS, and without it user and password are not sent. Use smtps://, or allow it with `relayInsecureAuth`'
