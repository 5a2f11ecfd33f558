import { audienceCollection, contactCollection, type ContactRecord } from '../audiences/audience.ts'
import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import { forEachSlice } from '../core/slices.ts'
import type { TraceContext } from '../core/trace-context.ts'
import { acceptedAs, type Span, type Tracer } from '../core/tracer.ts'
import { parseInput } from '../core/validate.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { render, unansweredWarning } from '../emails/render.ts'
import { normalizeAddress } from '../mime/headers/addresses.ts'
import { checkSend, type Accepted, type SendDeps } from '../sending/check-request.ts'
import { toEmail, toStoredParts, type StoredParts } from '../sending/record.ts'
import { pagesOf, readRecord } from '../store/repository.ts'
import { insert, type Blob, type Store } from '../store/store.ts'
import { keepBroadcast, setCount } from './broadcast.ts'
import { createLeftOutContacts, type LeftOutContacts } from './left-out.ts'
import { broadcastRequestSchema } from './schema.ts'
import { createSentBroadcasts, type SentBroadcasts } from './sent.ts'
import type { Broadcast, BroadcastRequest } from './types.ts'

/** Broadcasts: one email of type `broadcast` per subscribed contact of an audience. */
export interface Broadcasts extends SentBroadcasts {
  /**
   * Accepts one personal email per subscribed contact, each with a one-click List-Unsubscribe (RFC 8058).
   *
   * They are accepted in slices, so that other mail need not wait. If the store fails, the emails accepted before are
   * delivered.
   *
   * @throws validation_error, domain_not_verified, domain_not_registered, message_too_large, also if it is the mail of a
   *   single contact; not_found for the audience: nothing was stored.
   */
  send(request: BroadcastRequest): Promise<Broadcast>
}

/** {@link Broadcasts}, for requests. */
export interface InnerBroadcasts extends Broadcasts {
  /** @param trace  That of the request. Default: none. */
  send(request: BroadcastRequest, trace?: TraceContext): Promise<Broadcast>
}

export interface BroadcastsDeps extends SendDeps {
  store: Store
  clock: Clock
  ids: Ids
  /** The route of API sends: `relay` only with `relayAll`. */
  via: 'capture' | 'relay'
  wakeOutbox(): void
  /** Called with each email that was committed. Default: not called. */
  onStored?: ((email: EmailRecord) => void) | undefined
  pageSize: number
  /** Default: none. */
  tracer?: Tracer | null
  /** The URL that ends a contact's subscription with one POST, and counts it for a broadcast. */
  unsubscribeUrl(subscription: { audience_id: string; contact_id: string; broadcast_id: string }): string
}

/** A broadcast while its mails are accepted. */
interface Sending {
  /** What all its mails have in common. */
  readonly common: Accepted
  readonly broadcastId: string
  readonly leftOut: LeftOutContacts
  readonly parent: TraceContext | undefined
}

export function createBroadcasts(deps: BroadcastsDeps): InnerBroadcasts {
  const { store, clock, ids, tracer = null } = deps

  /** Accepts the mails to some contacts in one commit. @returns Their ids. */
  async function acceptSlice(
    contacts: readonly ContactRecord[],
    { common, broadcastId, leftOut, parent }: Sending,
  ): Promise<string[]> {
    const prepared: { personal: Accepted; kept: StoredParts }[] = []
    for (const contact of contacts) {
      const personal = personalFor(common, contact, deps.escapeHtml)
      if ('problem' in personal) {
        leftOut.invalid(contact, personal.problem)
        continue
      }
      const { audience_id, id: contact_id } = contact
      const url = deps.unsubscribeUrl({ audience_id, contact_id, broadcast_id: broadcastId })
      // RFC 8058, section 3.1.
      const headers = {
        'List-Unsubscribe': `<${url}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }
      prepared.push({ personal, kept: toStoredParts(personal, headers) })
    }
    const accepted: { email: EmailRecord; blobs: Blob[]; span: Span | null }[] = []
    // Ids define the order of the list, so nothing may be awaited between the ids and the commit.
    for (const { personal, kept } of prepared) {
      const id = ids.next('em')
      const span = tracer && tracer.begin('email accept', parent)
      const trace = span?.trace ?? parent
      const facts = { id, now: clock.now(), type: 'broadcast', via: deps.via, trace } as const
      const { email, blobs } = toEmail(personal, kept, facts)
      // Its only tag: those that `toEmail` takes from a recipient's address are left out.
      accepted.push({ email: { ...email, tags: [broadcastId] }, blobs, span })
    }
    const emails = accepted.map(({ email }) => email)
    const changes = emails.map((email) => insert(emailCollection, email))
    const blobs = accepted.flatMap((one) => one.blobs)
    if (changes.length > 0) await store.commit(changes, blobs)
    for (const { email, span } of accepted) span?.end(acceptedAs(email.id, 'api', 1))
    if (deps.onStored) emails.forEach(deps.onStored)
    deps.wakeOutbox()
    return emails.map(({ id }) => id)
  }

  // A contact with long names may make a mail too large. This is found before the first mail is accepted.
  async function checkSizes({ rendered }: Accepted, audienceId: string): Promise<void> {
    for await (const contacts of subscribedContacts(store, audienceId, maxSliceEmails)) {
      await forEachSlice(contacts, (contact) => {
        render(rendered, variablesOf(contact), deps.escapeHtml)
      })
    }
  }

  return {
    ...createSentBroadcasts(deps),
    async send(input, trace) {
      const parent = tracer ? tracer.parentOf(trace) : trace
      const request = parseInput(broadcastRequestSchema, input)
      const common = await checkCommon(request, deps)
      await readRecord(store, audienceCollection, request.audience_id, 'audience')
      await checkSizes(common, request.audience_id)
      const id = ids.next('bc')
      const email_ids: string[] = []
      const { audience_id, from, subject } = request
      const summary = { id, audience_id, from, subject, created: clock.now() }
      await keepBroadcast(store, { ...summary, count: 0, unsubscribed: 0 })
      const leftOut = await createLeftOutContacts(store, request.audience_id)
      const sending = { common, broadcastId: id, leftOut, parent }
      for await (const contacts of subscribedContacts(store, request.audience_id, sliceSizeOf(common)))
        email_ids.push(...(await acceptSlice(contacts, sending)))
      await setCount(store, id, email_ids.length)
      const warnings = warningsOf(common)
      return { id, email_ids, count: email_ids.length, left_out: leftOut.all(), warnings }
    },
  }
}

/** The maximum number of emails of one commit, and of characters of their bodies, because a commit is made without a pause. */
const maxSliceEmails = 100
const maxSliceChars = 1024 * 1024

function sliceSizeOf({ rendered: { html, text } }: Accepted): number {
  const fitting = Math.floor(maxSliceChars / (html.length + text.length + 1))
  return Math.min(Math.max(fitting, 1), maxSliceEmails)
}

// The common parts of all emails are checked once, as a send request without a contact. Placeholders are filled in later.
function checkCommon({ from, subject, html, text }: BroadcastRequest, deps: SendDeps): Promise<Accepted> {
  const request = { from, subject, html, text, to: 'subscriber@localpost.test' }
  return checkSend(request, { ...deps, strict: false })
}

// Each contact answers some placeholders, which the common check has not filled in.
function warningsOf({ warnings }: Accepted): string[] {
  return warnings.filter((warning) => !answered.has(warning))
}

const answered: ReadonlySet<string> = new Set(
  (['first_name', 'last_name', 'email'] satisfies (keyof ContactRecord)[]).map(unansweredWarning),
)

function personalFor(
  common: Accepted,
  contact: ContactRecord,
  escapeHtml: boolean,
): Accepted | { problem: string } {
  const result = normalizeAddress(contact.email)
  // Contacts are checked when they are added, by rules that are not those of SMTP.
  if ('problem' in result) return result
  const { address } = result
  return {
    ...common,
    request: { ...common.request, to: address },
    addresses: { ...common.addresses, to: [address], rcpt_to: [address] },
    rendered: render(common.rendered, variablesOf(contact), escapeHtml),
  }
}

function variablesOf({ first_name, last_name, email }: ContactRecord): Record<string, string> {
  return { first_name: oneLine(first_name), last_name: oneLine(last_name), email: oneLine(email) }
}

// Names reach the subject, where a line break would begin a header field.
function oneLine(text: string | null): string {
  return (text ?? '').replace(/[\x00-\x1f\x7f]+/g, ' ')
}

function subscribedContacts(
  store: Store,
  audienceId: string,
  limit: number,
): AsyncGenerator<ContactRecord[]> {
  return pagesOf(store, contactCollection, { index: 'subscription', prefix: [audienceId, true], limit })
}
