import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { createSequence } from '../core/sequence.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { sendExtended } from './extensions.ts'
import type { MessageNeeds } from './message-needs.ts'
import { openSocket } from './open-socket.ts'
import { parseReply, replyOf, type SmtpFailure, type SmtpReply } from './replies.ts'
import { connectionOptions, openPool, sendInPool } from './smtp-pool.ts'
import type { MailToSend, OpenPool, SentInfo, TransportOptions } from './smtp-pool.ts'

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

/** A pool of SMTP connections to one server; nothing is connected or loaded before the first delivery. */
export function createTransport(options: TransportOptions): Transport {
  let pool: Promise<OpenPool> | null = null
  let isClosed = false
  const oneAtATime = createSequence()

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

  /** Sends a message on its own connection. One at a time: such messages are rare, and a server may limit connections. */
  function sendAlone(mail: MailToSend, needs: MessageNeeds): Promise<SentInfo> {
    return oneAtATime(async () => {
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
