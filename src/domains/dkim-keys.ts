import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '../core/clock.ts'
import { once } from '../core/once.ts'
import { createRecentValues } from '../core/recent-values.ts'
import { untilCommitted } from '../store/repository.ts'
import { type Collection, type Store, type StoredRecord, insert } from '../store/store.ts'
import { type DkimKey, type DomainRecord, findDomain } from './domain.ts'

/** The instance's own key, for domains that only mail mentioned. One record, `shared`; a reset keeps it. */
export const dkimKeyCollection: Collection<SharedKeyRecord> = { name: 'dkim_keys', indexes: {} }

/** The shared key as stored. */
export interface SharedKeyRecord extends StoredRecord, DkimKey {
  created: number
}

/** The data for signing a message of a domain; `privateKey` fits nodemailer unchanged. */
export interface SigningKey {
  domain: string
  selector: string
  privateKey: KeyObject
}

/** The keys of the domains of an instance. */
export interface DkimKeys {
  /** The key that a domain's DNS records name and its mail is signed with: its own, or the shared one. */
  keyOf(domain: DomainRecord): Promise<DkimKey>
  /** The same, ready to sign with. */
  signingKey(domain: DomainRecord): Promise<SigningKey>
}

/** A new RSA-2048 key pair. Takes 120 to 160 ms of CPU on another thread. @param selector  First label of the DKIM name. */
export async function generateDkimKey(selector: string): Promise<DkimKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { selector, private_key: privateKey, public_key: publicKey.toString('base64') }
}

const processKey = once(() => generateDkimKey(''))

/**
 * The key of all instances that keep nothing, for domains that only mail mentioned: made when it is first needed, once
 * in a process, since a test run opens hundreds of them and a key takes longer than all the rest. It is stored nowhere,
 * so no one else can use it.
 */
export async function processDkimKey(selector: string): Promise<DkimKey> {
  return { ...(await processKey()), selector }
}

/** Dependencies of {@link createDkimKeys}. */
export interface DkimKeysDeps {
  store: Store
  clock: Clock
  selector: string
  /** Makes the shared key. Default: a new one. */
  makeShared?: (selector: string) => Promise<DkimKey>
}

/** The keys of an instance's domains. The shared one is made when it is first needed, once. */
export function createDkimKeys(deps: DkimKeysDeps): DkimKeys {
  const { store, clock, selector: sharedSelector, makeShared = generateDkimKey } = deps
  const shared = once(() => sharedKey(store, clock, () => makeShared(sharedSelector)))
  // Parsing a PEM costs three times as much as signing with the key.
  const parsed = createRecentValues<KeyObject>(maxParsed, () => 1)
  const keyOf = async (domain: DomainRecord): Promise<DkimKey> => domain.dkim ?? (await shared())

  return {
    keyOf,
    async signingKey(domain) {
      const { selector, private_key, public_key } = await keyOf(domain)
      let privateKey = parsed.get(public_key)
      if (!privateKey) {
        privateKey = createPrivateKey(private_key)
        parsed.put(public_key, privateKey)
      }
      return { domain: domain.name, selector, privateKey }
    },
  }
}

const maxParsed = 256

async function sharedKey(store: Store, clock: Clock, make: () => Promise<DkimKey>): Promise<DkimKey> {
  const stored = await store.get(dkimKeyCollection, 'shared')
  if (stored) return stored
  const made = await make()
  return untilCommitted(async () => {
    const other = await store.get(dkimKeyCollection, 'shared')
    if (other) return other
    await store.commit([insert(dkimKeyCollection, { id: 'shared', created: clock.now(), ...made })])
    return made
  })
}

/**
 * The public key of one of the account's domains, as its DNS record would publish it; null for other domains: nothing is
 * looked up.
 */
export async function findOwnKey(store: Store, name: string, selector: string): Promise<KeyObject | null> {
  const domain = await findDomain(store, name)
  if (!domain) return null
  const key = domain.dkim ?? (await store.get(dkimKeyCollection, 'shared'))
  if (!key || key.selector !== selector) return null
  return createPublicKey({ key: Buffer.from(key.public_key, 'base64'), format: 'der', type: 'spki' })
}
