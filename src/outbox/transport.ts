import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Transporter } from 'nodemailer'
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { addressKey } from '../mime/headers/addresses.ts'
import { sendExtended, type ExtendedMail, type SentInfo } from './extensions.ts'
import { connectTimeoutMs, openSocket, type SocketDone, type SocketOptions } from './open-socket.ts'
import { parseReply, replyOf, type SmtpFailure, type SmtpReply } from './replies.ts'
import { createSequence } from '../core/sequence.ts'
import { once } from '../core/once.ts'
import type { MessageNeeds } from './message-needs.ts'

/** Sends messages to a mail server over SMTP. */
export interface Transport {
  /**
   * Delivers one message.
   *
   * @param delivery  `id` is sent as ENVID, so that the capture server can identify the email.
   * @returns The server's final reply for every recipient: the reply to RCPT if the recipient was refused there, else the
   *   reply to the end of data. `reply_code` is 0 if the connection ended before a reply. Never throws.
   */
  deliver(delivery: Delivery): Promise<Map<string, SmtpReply>>
  close(): void
}

export interface Delivery {
  id: string
  mail_from: string
  rcpt_to: readonly string[]
  message: Readable
  /** The SMTP extensions that the message needs. Default: none. */
  needs?: MessageNeeds | undefined
}

export interface TransportOptions extends SocketOptions {
  /** TLS from the first byte. If false, STARTTLS is used when the server offers it, unless `plain` is set. */
  secure?: boolean
  /** Never uses TLS; for the connection to the instance's own capture server. */
  plain?: boolean
  auth?: { user: string; pass: string }
  /** Fails the delivery if TLS is not available. */
  requireTls?: boolean
  /** Name for EHLO: the `reporting_mta`. */
  hostname: string
  maxConnections: number
}

/** A pool of SMTP connections to one server; nothing is connected or loaded before the first delivery. */
export function createTransport(options: TransportOptions): Transport {
  let pool: Promise<OpenPool> | null = null
  let isClosed = false
  const inTurn = createSequence()

  function openOnce(): Promise<OpenPool> {
    pool ??= openPool(options).catch((error: unknown) => {
      pool = null
      throw error
    })
    return pool
  }

  function assertOpen(): void {
    if (isClosed) throw new Error('The connection is closed')
  }

  // Sends one message at a time: such messages are rare, and a server may limit connections.
  function sendAlone(mail: ExtendedMail, needs: MessageNeeds): Promise<SentInfo> {
    return inTurn(async () => {
      assertOpen()
      const { connection } = await new Promise<{ connection: Socket }>((resolve, reject) => {
        openSocket(options, (error, socket) => (socket ? resolve(socket) : reject(error)))
      })
      return sendExtended({ ...connectionOptions(options), connection }, options.auth, mail, needs)
    })
  }

  return {
    async deliver({ id, mail_from, rcpt_to, message, needs }) {
      try {
        assertOpen()
        const mail = { envelope: { from: mail_from, to: [...rcpt_to] }, dsn: { id }, raw: message }
        const info =
          needs?.eightBit || needs?.utf8
            ? await sendAlone(mail, needs)
            : await sendInPool(await openOnce(), mail)
        return repliesFor(rcpt_to, info.rejectedErrors, parseReply(info.response))
      } catch (error) {
        message.destroy()
        const failure: SmtpFailure = error instanceof Error ? error : new Error(String(error))
        return repliesFor(rcpt_to, failure.rejectedErrors, replyOf(failure))
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      // A pool that did not open has nothing to close.
      void pool?.then(
        (open) => open.pool.close(),
        () => {},
      )
    },
  }
}

/**
 * Passes a mail to the pool directly. Nodemailer's `sendMail` also builds a MIME tree and parses the envelope's addresses,
 * which takes twice as long as everything else: the place `pool` in bench/places.mjs. It also takes 30 ms to load.
 */
async function sendInPool({ pool, mailer }: OpenPool, mail: ExtendedMail): Promise<SentInfo> {
  const { envelope, dsn, raw } = mail
  if (![envelope.from, ...envelope.to].every((address) => address === '' || isPlain(address)))
    return (await mailer()).sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true })
  // The members of a message that the pool uses; the first two only for its log, which is off.
  const message = {
    getHeader: () => '',
    messageId: () => '',
    getEnvelope: () => envelope,
    createReadStream: () => raw,
  }
  return new Promise((resolve, reject) => {
    // Its type asks for a whole mail of nodemailer, but it only uses `data` and the members of `message` above.
    pool.send({ data: { dsn }, message } as never, (error, info) => {
      if (info && !error) resolve(info)
      else reject(error ?? new Error('The pool gave no answer'))
    })
  })
}

/** Whether an address can be used in the envelope unchanged: no quoting and no conversion of the domain is needed. */
function isPlain(address: string): boolean {
  return /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(
    address,
  )
}

interface OpenPool {
  pool: SMTPPool
  /** For envelopes that nodemailer must parse. One for the pool, because each adds its listeners to the pool. */
  mailer(): Promise<Transporter<SentInfo>>
}

async function openPool(options: TransportOptions): Promise<OpenPool> {
  const { default: Pool } = await import('nodemailer/lib/smtp-pool')
  const pool = new Pool({
    ...connectionOptions(options),
    pool: true,
    ...(options.auth ? { auth: { type: 'login' as const, ...options.auth } } : {}),
    maxConnections: options.maxConnections,
    maxMessages: Number.POSITIVE_INFINITY,
    // For a retry, the pool would reuse the message stream, which is already consumed. The outbox retries with a new one.
    maxRequeues: 0,
    getSocket: (_given: unknown, done: SocketDone) => openSocket(options, done),
  })
  return { pool, mailer: once(async () => (await import('nodemailer')).createTransport(pool)) }
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
    // The instance's own server may delay a reply by up to a minute because of a rule.
    socketTimeout: options.plain ? 90_000 : 30_000,
  }
}

/** The reply for each recipient: of its own refusal, or the one that applies to all others. */
function repliesFor(
  rcptTo: readonly string[],
  refusals: readonly SmtpFailure[] = [],
  others: SmtpReply,
): Map<string, SmtpReply> {
  // nodemailer converts the domain of a recipient to lower case, and may convert it between A-labels and U-labels.
  const refused = new Map(refusals.map((refusal) => [addressKey(refusal.recipient ?? ''), replyOf(refusal)]))
  return new Map(rcptTo.map((recipient) => [recipient, refused.get(addressKey(recipient)) ?? others]))
}
