import { createRandomSources, type RandomSource } from '../core/random.ts'
import type { Clock } from '../core/clock.ts'
import type { DomainRecord } from '../domains/domain.ts'
import { emailCollection } from '../emails/email.ts'
import { LocalpostError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { createHits, type Hit, type Hits, type Visitor } from './hits.ts'
import { prepareRewrite } from './rewrite.ts'
import { readTrackingSecret } from './secret.ts'
import { createTokens, maxLinkBytes } from './tokens.ts'

/** Tracks opens and clicks: puts addresses of this instance into mail, and handles the hits on them. */
export interface Tracking extends Pick<Hits, 'idle' | 'close'> {
  /**
   * How the HTML of an email becomes each recipient's own.
   *
   * @returns A function of the recipient's index; null where nothing is tracked, so that all share one message.
   */
  copiesOf(
    email: { id: string },
    html: string,
    domain: Pick<DomainRecord, 'open_tracking_enabled' | 'click_tracking_enabled'>,
  ): ((recipient: number) => string) | null
  /** The address that ends a contact's subscription with one POST; for `List-Unsubscribe` (RFC 8058). */
  unsubscribeUrl(audienceId: string, contactId: string): string
  /**
   * The image of a mail was loaded.
   *
   * @param visitor  null only looks: nothing is recorded.
   * @throws not_found for a token that is not ours, and where the email is gone.
   */
  open(token: string, visitor: Visitor | null): Promise<void>
  /** A link of a mail was followed. @returns Where it leads, absolute. @throws not_found, as {@link Tracking.open}. */
  click(token: string, visitor: Visitor | null): Promise<string>
  /** Ends the subscription that the token names, or with `ask` only checks it. @throws not_found. */
  unsubscribe(token: string, options?: { ask?: boolean }): Promise<void>
}

/** What tracking needs of the rest. */
export interface TrackingDeps {
  store: Store
  clock: Clock
  /** Where the secret comes from, at the first start. Default: the system's. */
  random?: RandomSource
  /** Base of the addresses, without a slash at its end; asked for whenever a message is written. */
  baseUrl(): string
  /** @throws not_found where the contact is gone. */
  onUnsubscribe(audienceId: string, contactId: string): Promise<unknown>
  /** Called with faults in storing hits that were answered before. */
  onError(error: unknown): void
}

/** Reads the secret, or makes it at the first start. */
export async function createTracking(deps: TrackingDeps): Promise<Tracking> {
  const { store, clock, random = createRandomSources(null)('tracking') } = deps
  const tokens = createTokens(await readTrackingSecret(store, random), clock)
  const hits = createHits(deps)

  async function hit(hit: Hit, visitor: Visitor | null): Promise<void> {
    const isThere = visitor
      ? await hits.record(hit, visitor)
      : (await store.get(emailCollection, hit.email_id)) !== null
    if (!isThere) throw unknownAddress()
  }

  return {
    idle: hits.idle,
    close: hits.close,
    copiesOf({ id }, html, domain) {
      const { open_tracking_enabled: opens, click_tracking_enabled: clicks } = domain
      if (html === '' || (!opens && !clicks)) return null
      const base = `${deps.baseUrl()}/t`
      const rewrite = prepareRewrite(html)
      return (recipient) =>
        rewrite({
          pixelUrl: opens ? `${base}/o/${tokens.make({ kind: 'open', email_id: id, recipient })}` : null,
          linkUrl(link) {
            // Ours are not tracked again; a link too long for an address stays as it is.
            if (!clicks || link.startsWith(`${base}/`) || Buffer.byteLength(link) > maxLinkBytes) return null
            return `${base}/c/${tokens.make({ kind: 'click', email_id: id, recipient, link })}`
          },
        })
    },
    unsubscribeUrl(audienceId, contactId) {
      const token = tokens.make({ kind: 'unsubscribe', audience_id: audienceId, contact_id: contactId })
      return `${deps.baseUrl()}/t/u/${token}`
    },
    async open(text, visitor) {
      const token = tokens.read('open', text)
      if (!token) throw unknownAddress()
      await hit({ email_id: token.email_id, recipient: token.recipient }, visitor)
    },
    async click(text, visitor) {
      const token = tokens.read('click', text)
      if (!token) throw unknownAddress()
      const { email_id, recipient, link } = token
      await hit({ email_id, recipient, link }, visitor)
      // A header takes ASCII only, and a link may have any character.
      return new URL(link).href
    },
    async unsubscribe(text, { ask = false } = {}) {
      const token = tokens.read('unsubscribe', text)
      if (!token) throw unknownAddress()
      if (!ask) await deps.onUnsubscribe(token.audience_id, token.contact_id)
    },
  }
}

function unknownAddress(): LocalpostError {
  return new LocalpostError(
    'not_found',
    'This address is not one that this instance put into a mail, or it is no longer valid, or the mail was removed.',
  )
}
