import { createRandomSources, type RandomSource } from '../core/random.ts'
import type { Clock } from '../core/clock.ts'
import type { DomainRecord } from '../domains/domain.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Store } from '../store/store.ts'
import { createHits, type Hit, type Hits, type Visitor } from './hits.ts'
import { prepareRewrite } from './rewrite.ts'
import { readTrackingSecret } from './secret.ts'
import { createTokens, maxLinkBytes, type TrackingToken } from './tokens.ts'

/** Tracks opens and clicks: puts URLs of this instance into mail, and handles the requests to them. */
export interface Tracking extends Pick<Hits, 'idle' | 'close'> {
  /**
   * Prepares the HTML of an email for a copy of each recipient.
   *
   * @returns A function that takes the HTML and returns that for a recipient's index; null if nothing is tracked, so that
   *   all recipients share one message.
   */
  copiesOf(
    email: Pick<EmailRecord, 'id' | 'tracking' | 'raw'>,
    domain: Pick<DomainRecord, 'open_tracking_enabled' | 'click_tracking_enabled'>,
  ): ((html: string) => (recipient: number) => string) | null
  /** The URL that ends a contact's subscription with one POST; for `List-Unsubscribe` (RFC 8058). */
  unsubscribeUrl(subscription: Subscription): string
  /**
   * Records that the image of a mail was loaded.
   *
   * @param visitor  null records nothing.
   * @throws not_found for a token of another instance, and if the email was removed.
   */
  open(token: string, visitor: Visitor | null): Promise<void>
  /** Records that a link of a mail was followed. @returns Its absolute URL. @throws not_found, as {@link Tracking.open}. */
  click(token: string, visitor: Visitor | null): Promise<string>
  /** A token by which a reader consents to the remote content of a mail, for one day. @throws not_found. */
  consentTo(emailId: string): Promise<string>
  /** Whether a token is one of {@link Tracking.consentTo} for this mail. */
  isConsentTo(emailId: string, token: string): boolean
  /** Ends the subscription that the token names, or with `ask` only checks it. @throws not_found. */
  unsubscribe(token: string, options?: { ask?: boolean }): Promise<void>
}

/** What a `List-Unsubscribe` field ends. */
export interface Subscription {
  readonly audience_id: string
  readonly contact_id: string
  /** The broadcast whose mail has the link; `""` if it is not known. */
  readonly broadcast_id: string
}

/** The dependencies of tracking. */
export interface TrackingDeps {
  store: Store
  clock: Clock
  /** The source of the secret at the first start. Default: the system's. */
  random?: RandomSource
  /** The base of the URLs, without a slash at its end; called for every message that is composed. */
  baseUrl(): string
  /** Ends the subscription. @throws not_found if the contact was removed. */
  onUnsubscribe(subscription: Subscription): Promise<unknown>
  /** Called with errors of storing a hit after it was answered. */
  onError(error: unknown): void
}

/** Reads the secret, or makes it at the first start. */
export async function createTracking(deps: TrackingDeps): Promise<Tracking> {
  const { store, clock, random = createRandomSources(null)('tracking') } = deps
  const tokens = createTokens(await readTrackingSecret(store, random), clock)
  const hits = createHits(deps)

  /** @throws not_found. */
  function readToken<K extends TrackingToken['kind']>(kind: K, text: string): TrackingToken & { kind: K } {
    const token = tokens.read(kind, text)
    if (!token) throw unknownAddress()
    return token
  }

  /** @throws not_found if the email was removed. */
  async function record(hit: Hit, visitor: Visitor | null): Promise<void> {
    const isThere = visitor
      ? await hits.record(hit, visitor)
      : (await store.get(emailCollection, hit.email_id)) !== null
    if (!isThere) throw unknownAddress()
  }

  return {
    idle: hits.idle,
    close: hits.close,
    copiesOf({ id, tracking, raw }, domain) {
      const { opens = domain.open_tracking_enabled, clicks = domain.click_tracking_enabled } = tracking ?? {}
      // The bytes of a given message stay as they are.
      if (raw || (!opens && !clicks)) return null
      const base = `${deps.baseUrl()}/t`
      return (html) => {
        const rewrite = prepareRewrite(html)
        return (recipient) =>
          rewrite({
            pixelUrl: opens ? `${base}/o/${tokens.make({ kind: 'open', email_id: id, recipient })}` : null,
            linkUrl(link) {
              // Links to this instance are not tracked again, and very long links stay as they are.
              if (!clicks || link.startsWith(`${base}/`) || Buffer.byteLength(link) > maxLinkBytes)
                return null
              return `${base}/c/${tokens.make({ kind: 'click', email_id: id, recipient, link })}`
            },
          })
      }
    },
    unsubscribeUrl(subscription) {
      const token = tokens.make({ kind: 'unsubscribe', ...subscription })
      return `${deps.baseUrl()}/t/u/${token}`
    },
    async open(text, visitor) {
      const { email_id, recipient } = readToken('open', text)
      await record({ email_id, recipient }, visitor)
    },
    async click(text, visitor) {
      const { email_id, recipient, link } = readToken('click', text)
      await record({ email_id, recipient, link }, visitor)
      // The Location header must be ASCII, and a link may have any character.
      return new URL(link).href
    },
    async consentTo(id) {
      if (!(await store.get(emailCollection, id)))
        throw new LocalpostError('not_found', `There is no mail ${quote(id)}.`)
      return tokens.make({ kind: 'consent', email_id: id, expires: clock.now() + consentMs })
    },
    isConsentTo: (id, token) => tokens.read('consent', token)?.email_id === id,
    async unsubscribe(text, { ask = false } = {}) {
      const token = readToken('unsubscribe', text)
      if (!ask) await deps.onUnsubscribe(token)
    },
  }
}

const consentMs = 86_400_000

function unknownAddress(): LocalpostError {
  const message =
    'This address is not one that this instance put into a mail, or it is no longer valid, or the mail was removed.'
  return new LocalpostError('not_found', message)
}
