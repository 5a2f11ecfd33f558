import { Readable } from 'node:stream'
import type { Blob, BlobId, Store } from '../store/store.ts'
import type { SmtpReply } from './bounces.ts'
import { messageBlobOf } from '../emails/copies.ts'
import type { EmailRecord } from '../emails/email.ts'
import { pendingRecipients } from '../emails/events.ts'
import type { Simulator } from './outcome.ts'
import { needsOf } from './extensions.ts'
import type { Transport } from './transport.ts'

/** Where deliveries go. */
export interface DeliveryDeps {
  store: Store
  /** To the instance's own capture server. */
  capture: Transport
  /** Where everything is forwarded; null where nothing is. */
  relay: Transport | null
  simulator: Simulator
  /** Whether nothing more is sent: the instance is closing, which ends connections, or another one delivers now. */
  isClosed(): boolean
}

/**
 * Tries every pending recipient of a written email: in one transaction per server, or in one per recipient where each
 * has its own copy of the message. Where a rule ended the transaction of several recipients, each is tried again alone,
 * so that no recipient loses a mail because of another.
 *
 * @param written  The blobs that were stored with the message just now; those in memory are not read again.
 * @returns The replies by recipient; null where the message was removed with its email.
 */
export async function tryDelivery(
  email: EmailRecord,
  deps: DeliveryDeps,
  written: readonly Blob[] = [],
): Promise<Map<string, SmtpReply> | null> {
  const replies = new Map<string, SmtpReply>()
  const found = routes(email, deps)
  const first = email.message?.copies ? found.flatMap((route) => apart(route)) : found
  if (!(await runAll(email, first, deps, written, replies))) return null
  // A broken connection to a relay is no verdict of a recipient, and the relay may have accepted the mail.
  const lost = first
    .filter(({ transport, recipients }) => transport === deps.capture && recipients.length > 1)
    .flatMap((route) => apart(route))
    .filter(({ recipients: [recipient = ''] }) => isLost(replies.get(recipient)))
  return (await runAll(email, lost, deps, written, replies)) ? replies : null
}

/** Adds to the replies. @returns Whether the message was there. */
async function runAll(
  email: EmailRecord,
  transactions: readonly Route[],
  deps: DeliveryDeps,
  written: readonly Blob[],
  replies: Map<string, SmtpReply>,
): Promise<boolean> {
  const { mail_from } = email.envelope
  for (let i = 0; i < transactions.length; i += atOnce) {
    const answers = await Promise.all(
      transactions.slice(i, i + atOnce).map(async ({ transport, recipients }) => {
        const copy = email.recipients.findIndex(({ recipient }) => recipient === recipients[0])
        const id = messageBlobOf(email, copy)
        const open = async (): Promise<Readable | null> =>
          atHand(written, id) ?? (await deps.store.openBlob(id))
        const message = await open()
        if (!message) return null
        const delivery = { id: email.id, mail_from, rcpt_to: recipients, message }
        if (transport === deps.capture) return deps.isClosed() ? none(message) : transport.deliver(delivery)
        // The own server takes everything; others have to be asked for what goes beyond plain SMTP.
        const needs = await needsOf(message, [mail_from, ...recipients])
        const again = await open()
        if (!again) return null
        return deps.isClosed() ? none(again) : transport.deliver({ ...delivery, message: again, needs })
      }),
    )
    for (const answered of answers) {
      if (!answered) return false
      for (const [recipient, reply] of answered) replies.set(recipient, reply)
    }
  }
  return true
}

/** No recipient was tried. */
function none(message: Readable): Map<string, SmtpReply> {
  message.destroy()
  return new Map()
}

function atHand(written: readonly Blob[], id: BlobId): Readable | null {
  const parts = written.find((blob) => blob.id === id)?.parts
  return parts ? Readable.from(parts, { objectMode: false }) : null
}

/** Transactions of one email at the same time: as many as there are connections. */
const atOnce = 5

interface Route {
  transport: Transport
  recipients: string[]
}

function routes(email: EmailRecord, { capture, relay, simulator }: DeliveryDeps): Route[] {
  const pending = pendingRecipients(email)
  // Mail queued for a relay that is no longer configured stays on the machine.
  if (email.outbox?.via !== 'relay' || !relay) return [{ transport: capture, recipients: pending }]
  const simulated = pending.filter((recipient) => simulator.isSimulator(recipient))
  const real = pending.filter((recipient) => !simulator.isSimulator(recipient))
  return [
    { transport: capture, recipients: simulated },
    { transport: relay, recipients: real },
  ].filter(({ recipients }) => recipients.length > 0)
}

function apart({ transport, recipients }: Route): Route[] {
  return recipients.map((recipient) => ({ transport, recipients: [recipient] }))
}

// 421 closes the connection, and applies to every recipient without a reply.
const isLost = (reply: SmtpReply | undefined): boolean => reply?.reply_code === 0 || reply?.reply_code === 421
