import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MessageNeeds } from './message-needs.ts'
import type { MailToSend, SentInfo } from './smtp-pool.ts'

/**
 * Sends one message over a new connection, with the extensions that it needs. The pool announces SMTPUTF8 only for
 * addresses, and sends messages even if the server does not support what they need.
 *
 * @throws Error with a `response` of 5.6.x if the server does not offer an extension; nothing was sent then.
 */
export async function sendExtended(
  options: ConstructorParameters<typeof SMTPConnection>[0],
  auth: { user: string; pass: string } | undefined,
  mail: MailToSend,
  needs: MessageNeeds,
): Promise<SentInfo> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection(options)
  const broken = new Promise<never>((_, reject) => {
    connection.once('error', reject).once('end', () => reject(connectionEnded()))
  })
  /** Rejects as well if the connection breaks before `begin` calls `done`. */
  const step = <T>(begin: (done: Done<T>) => void): Promise<T | undefined> => {
    const finished = new Promise<T | undefined>((resolve, reject) => {
      begin((error, result) => (error ? reject(error) : resolve(result)))
    })
    return Promise.race([broken, finished])
  }
  try {
    await step((done) => connection.connect(done))
    const missing = missingOf(String(connection.lastServerResponse), needs)
    if (missing) throw missing
    if (auth && connection.allowsAuth) await step((done) => connection.login({ credentials: auth }, done))
    if (needs.utf8) announceUtf8(connection)
    const envelope = { ...mail.envelope, dsn: mail.dsn, use8BitMime: needs.eightBit || needs.utf8 }
    const info = await step<SentInfo>((done) => connection.send(envelope, mail.raw, done))
    if (!info) throw connectionEnded()
    return { response: info.response, rejectedErrors: info.rejectedErrors ?? [] }
  } finally {
    connection.removeAllListeners('error').on('error', () => {})
    connection.quit()
  }
}

type Done<T> = (error?: Error | null, result?: T) => void

function connectionEnded(): Error {
  return Object.assign(new Error('Connection closed unexpectedly'), { code: 'ECONNECTION' })
}

/** @param offered  The server's answer to EHLO. */
function missingOf(offered: string, { utf8, eightBit }: MessageNeeds): Error | null {
  const offers = (name: string): boolean => new RegExp(`^250[ -]${name}\\b`, 'im').test(offered)
  if (utf8 && !offers('SMTPUTF8')) {
    return refusal(
      '554 5.6.9 The server does not offer SMTPUTF8, which characters beyond ASCII in addresses or header fields need',
    )
  }
  if (eightBit && !offers('8BITMIME')) {
    return refusal(
      '554 5.6.3 The server does not offer 8BITMIME, which octets beyond ASCII need: encode the parts as base64 or quoted-printable',
    )
  }
  return null
}

function refusal(response: string): Error {
  return Object.assign(new Error(response), { response })
}

/**
 * Replaces the private method `_sendCommand` of nodemailer 10, which announces SMTPUTF8 only if an address of the envelope
 * needs it. A header may need it too, and there is no option for that.
 */
function announceUtf8(connection: SMTPConnection): void {
  const open: { _sendCommand: (command: string, shown?: string) => void } = connection as never
  const send = open._sendCommand.bind(connection)
  open._sendCommand = (command, shown) => {
    const isMail = /^MAIL FROM:/i.test(command) && !/ SMTPUTF8\b/.test(command)
    send(isMail ? `${command} SMTPUTF8` : command, shown)
  }
}
