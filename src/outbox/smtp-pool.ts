import type { Readable } from 'node:stream'
import type { Transporter } from 'nodemailer'
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { once } from '../core/once.ts'
import { connectTimeoutMs, openSocket, type SocketDone, type SocketOptions } from './open-socket.ts'
import type { SmtpFailure } from './replies.ts'

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

/** A message with its envelope, as nodemailer takes it. */
export interface MailToSend {
  envelope: { from: string; to: string[] }
  dsn: { id: string }
  raw: Readable
}

/** The last reply of the server. */
export interface SentInfo {
  response: string
  rejectedErrors?: readonly SmtpFailure[]
}

/** An open pool of nodemailer. */
export interface OpenPool {
  pool: SMTPPool
  /** For envelopes that nodemailer must parse. One for the pool, because each adds its listeners to the pool. */
  mailer(): Promise<Transporter<SentInfo>>
}

/** Loads nodemailer's pool; nothing is connected yet. */
export async function openPool(options: TransportOptions): Promise<OpenPool> {
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

/**
 * Passes a mail to the pool directly. Nodemailer's `sendMail` also builds a MIME tree and parses the envelope's addresses,
 * which takes twice as long as everything else (bench/places.mjs, row `pool`). It also takes 30 ms to load.
 */
export async function sendInPool({ pool, mailer }: OpenPool, mail: MailToSend): Promise<SentInfo> {
  const { envelope, dsn, raw } = mail
  if (![envelope.from, ...envelope.to].every((address) => address === '' || plainAddress.test(address)))
    return (await mailer()).sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true })
  // The members of a message that the pool uses; the first two only for its log, which is off.
  const message = {
    getHeader: () => '',
    messageId: () => '',
    getEnvelope: () => envelope,
    createReadStream: () => raw,
  }
  return new Promise((resolve, reject) => {
    // Its type asks for a whole mail of nodemailer, but in nodemailer 10 it only uses `data` and the members of `message` above.
    pool.send({ data: { dsn }, message } as never, (error, info) => {
      if (info && !error) resolve(info)
      else reject(error ?? new Error('The pool gave no answer'))
    })
  })
}

/** Addresses that can be used in the envelope unchanged: no quoting and no conversion of the domain is needed. */
const plainAddress =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/

/** The options of each connection, in the pool or alone. */
export function connectionOptions(options: TransportOptions): SMTPConnectionOptions {
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
