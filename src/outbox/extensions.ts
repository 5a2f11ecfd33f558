import type { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpFailure } from './replies.ts'
import type { MessageNeeds } from './message-needs.ts'

/** An envelope as nodemailer's connection takes it. */
export interface ExtendedMail {
  envelope: { from: string; to: string[] }
  dsn: { id: string }
  raw: Readable
}

/** The last reply of the server. */
export interface SentInfo {
  response: string
  rejectedErrors?: readonly SmtpFailure[]
}

/**
 * Sends one message over a new connection, with the extensions that it needs. The pool ignores them: it announces
 * SMTPUTF8 only for addresses, and sends messages that the server does not support.
 *
 * @throws Error with a `response` of 5.6.x where the server does not offer one; nothing was sent then.
 */
export async function sendExtended(
  options: ConstructorParameters<typeof SMTPConnection>[0],
  auth: { user: string; pass: string } | undefined,
  mail: ExtendedMail,
  needs: MessageNeeds,
): Promise<SentInfo> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection(options)
  try {
    return await new Promise<SentInfo>((resolve, reject) => {
      connection.once('error', reject).once('end', () => reject(connectionEnded()))
      const send = (): void => {
        if (needs.utf8) sayUtf8(connection)
        const envelope = { ...mail.envelope, dsn: mail.dsn, use8BitMime: needs.eightBit || needs.utf8 }
        connection.send(envelope, mail.raw, (error, info) => {
          if (error || !info) reject(error ?? connectionEnded())
          else resolve({ response: info.response, rejectedErrors: info.rejectedErrors ?? [] })
        })
      }
      connection.connect((error) => {
        if (error) return reject(error)
        const missing = missingOf(String(connection.lastServerResponse), needs)
        if (missing) return reject(missing)
        if (!auth || !connection.allowsAuth) return send()
        connection.login({ credentials: auth }, (failed) => (failed ? reject(failed) : send()))
      })
    })
  } finally {
    connection.removeAllListeners('error').on('error', () => {})
    connection.quit()
  }
}

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
 * nodemailer announces it only if an address of the envelope needs it. A header may need it too, and there is no option for
 * that.
 * test/outbox/release.test.ts shows the need: "announces the required extensions".
 */
function sayUtf8(connection: SMTPConnection): void {
  const open: { _sendCommand: (command: string, shown?: string) => void } = connection as never
  const say = open._sendCommand.bind(connection)
  open._sendCommand = (command, shown) => {
    const isMail = /^MAIL FROM:/i.test(command) && !/ SMTPUTF8\b/.test(command)
    say(isMail ? `${command} SMTPUTF8` : command, shown)
  }
}
