import { Readable } from 'node:stream'
import { messageBlobOf } from '../emails/copies.ts'
import type { EmailRecord } from '../emails/email.ts'
import { pendingRecipients } from '../emails/events.ts'
import type { Blob, BlobId, Store } from '../store/store.ts'
import { needsOf } from './message-needs.ts'
import type { Simulator } from './outcome.ts'
import type { SmtpReply } from './replies.ts'
import type { Transport } from './transport.ts'

/** Where deliveries go. */
export interface DeliveryDeps {
  store: Store
  /** To the instance's own capture server. */
  capture: Transport
  /** The relay that real recipients' mail is forwarded to; null without a relay. */
  relay: Transport | null
  simulator: Simulator
  /** Whether to stop sending: the instance is closing, or another instance took over the delivery. */
  isClosed(): boolean
}

/** The number of simultaneous transactions of one email: the number of connections. */
const atOnce = 5

/** The recipients of one transaction, and the server that it is sent to. */
interface Route {
  transport: Transport
  recipients: string[]
}

/**
 * Tries to deliver a composed email to every pending recipient. Each server gets one transaction, or one per recipient if
 * each recipient has its own copy of the message. If a rule ends a transaction with several recipients, each of them is
 * tried again alone, so that no recipient loses a mail because of another.
 *
 * @param written  The blobs that were just stored with the message. They are sent from memory, not read again.
 * @returns The replies by recipient; null if the message was removed together with its email.
 */
export async function tryDelivery(
  email: EmailRecord,
  deps: DeliveryDeps,
  written: readonly Blob[] = [],
): Promise<Map<string, SmtpReply> | null> {
  const replies = new Map<string, SmtpReply>()
  const perServer = routes(email, deps)
  const transactions = email.message?.copies ? perServer.flatMap(onePerRecipient) : perServer
  if (!(await runTransactions(email, transactions, deps, written, replies))) return null
  // Rules close connections only at the instance itself. A relay may have accepted the mail before its connection
  // broke.
  const lost = transactions
    .filter(({ transport, recipients }) => transport === deps.capture && recipients.length > 1)
    .flatMap(onePerRecipient)
    .filter(({ recipients: [recipient = ''] }) => isLost(replies.get(recipient)))
  return (await runTransactions(email, lost, deps, written, replies)) ? replies : null
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

function onePerRecipient({ transport, recipients }: Route): Route[] {
  return recipients.map((recipient) => ({ transport, recipients: [recipient] }))
}

/** Adds the replies of all transactions to `replies`. @returns False if the message was removed. */
async function runTransactions(
  email: EmailRecord,
  transactions: readonly Route[],
  deps: DeliveryDeps,
  written: readonly Blob[],
  replies: Map<string, SmtpReply>,
): Promise<boolean> {
  for (let i = 0; i < transactions.length; i += atOnce) {
    const group = transactions.slice(i, i + atOnce)
    const answers = await Promise.all(group.map((route) => runTransaction(email, route, deps, written)))
    for (const answered of answers) {
      if (!answered) return false
      for (const [recipient, reply] of answered) replies.set(recipient, reply)
    }
  }
  return true
}

/** @returns The replies, none if sending was stopped before; null if the message was removed. */
async function runTransaction(
  email: EmailRecord,
  { transport, recipients }: Route,
  deps: DeliveryDeps,
  written: readonly Blob[],
): Promise<Map<string, SmtpReply> | null> {
  const { mail_from } = email.envelope
  const copy = email.recipients.findIndex(({ recipient }) => recipient === recipients[0])
  const id = messageBlobOf(email, copy)
  const open = async (): Promise<Readable | null> => inMemory(written, id) ?? (await deps.store.openBlob(id))
  let message = await open()
  // The server of this instance supports every extension. A relay must support those that this message needs.
  const needs =
    message && transport !== deps.capture ? await needsOf(message, [mail_from, ...recipients]) : undefined
  // `needsOf` has read the stream to its end.
  if (needs) message = await open()
  if (!message) return null
  if (!deps.isClosed())
    return transport.deliver({ id: email.id, mail_from, rcpt_to: recipients, message, needs })
  message.destroy()
  return new Map()
}

function inMemory(written: readonly Blob[], id: BlobId): Readable | null {
  const parts = written.find((blob) => blob.id === id)?.parts
  return parts ? Readable.from(parts, { objectMode: false }) : null
}

// 421 closes the connection, and applies to every recipient without a reply.
const isLost = (reply: SmtpReply | undefined): boolean => reply?.reply_code === 0 || reply?.reply_code === 421
