import type { Complete } from '../core/complete.ts'
import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Ids } from '../core/ids.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { untilCommitted } from '../store/repository.ts'
import { type Store, insert } from '../store/store.ts'
import { type DomainRecord, domainCollection, findDomain } from './domain.ts'
import { parseDomainName, toDomainName } from './names.ts'

/** The domain of mail whose sender has no usable domain: `root@localhost`, `<>`, an IP literal. */
const builtInDomain = 'localpost.test'

/** Finds the sending domain of mail, and adds it if it is unknown. */
export interface Senders {
  /**
   * The domain of an API send's From address.
   *
   * An unknown one is added as verified (`registered: false`), or refused with `strict`.
   *
   * @throws domain_not_verified unless the domain's status is SUCCESS.
   * @throws domain_not_registered with `strict`, if the domain was not created.
   * @throws validation_error for field `from`, if the name cannot be a sending domain.
   */
  resolveSender(domainName: string): Promise<DomainRecord>
  /**
   * The domain of an SMTP submission, whatever its status. An unknown one is added; a name that cannot be a sending domain
   * gives {@link builtInDomain}. Never refuses.
   */
  ensureDomain(domainName: string): Promise<DomainRecord>
  /**
   * The domain for an email whose domain was removed before its delivery: the name with the shared key, without
   * tracking. Stores nothing, so that the removed domain does not come back.
   */
  asRemoved(domainName: string): DomainRecord
}

/** @param deps.strict  Refuses API sends from domains that were not created. */
export function createSenders(deps: { store: Store; clock: Clock; ids: Ids; strict: boolean }): Senders {
  const { store, clock, ids, strict } = deps
  // Simultaneous mails from a new domain wait for the same commit.
  const adding = createSharedWork()

  /** The domains that were looked up last, so that many mails from one domain read its record once. */
  let recent = new Map<string, DomainRecord>()
  store.changes(() => (recent = new Map()), { of: domainCollection })

  /** The domain of this name as it is stored now. */
  async function findRecent(name: string): Promise<DomainRecord | null> {
    const known = recent.get(name)
    if (known) return known
    // A change during the read replaces `recent`; the record that was read is then put into the old map.
    const asOfNow = recent
    const domain = await findDomain(store, name)
    if (!domain) return null
    if (asOfNow.size >= maxRecent) asOfNow.clear()
    asOfNow.set(name, domain)
    return domain
  }

  const findOrAdd = (name: string): Promise<DomainRecord> =>
    adding.run(name, () =>
      untilCommitted(async () => {
        const known = await findDomain(store, name)
        if (known) return known
        const blank = blankDomain(ids.next('dom'), name, clock.now())
        const record: DomainRecord = { ...blank, version: 1, status: 'SUCCESS', registered: false }
        await store.commit([insert(domainCollection, record)])
        return record
      }),
    )

  return {
    async resolveSender(domainName) {
      // The name as given is nearly always the name as stored; checking it costs more than looking it up.
      const known = await findRecent(domainName.toLowerCase())
      if (known) return assertMaySend(known, strict)
      const name = parseDomainName(domainName, 'from')
      const stored = strict ? await findDomain(store, name) : await findOrAdd(name)
      if (!stored) throw notRegistered(name)
      return assertMaySend(stored, strict)
    },
    asRemoved(domainName) {
      const blank = blankDomain('', toDomainName(domainName) ?? builtInDomain, clock.now())
      return { ...blank, version: 0, registered: false }
    },
    async ensureDomain(domainName) {
      const known = await findRecent(domainName.toLowerCase())
      return known ?? findOrAdd(toDomainName(domainName) ?? builtInDomain)
    },
  }
}

const maxRecent = 100

/** A new domain: registered, not verified, without a DKIM key of its own. */
export function blankDomain(
  id: string,
  name: string,
  created: number,
): Complete<Omit<DomainRecord, 'version'>> {
  return {
    id,
    name,
    status: 'NOT_STARTED',
    created,
    registered: true,
    verification_started: null,
    verification_info: {},
    dkim: null,
    is_warmed_up: false,
    warmed_up_at: null,
    open_tracking_enabled: false,
    click_tracking_enabled: false,
  }
}

function assertMaySend(domain: DomainRecord, strict: boolean): DomainRecord {
  if (strict && !domain.registered) throw notRegistered(domain.name)
  if (domain.status === 'SUCCESS') return domain
  const remedy = `Verify it: POST /dev/domains/${domain.id}/verify with {"status":"SUCCESS"}, or with {} to look its records up in DNS.`
  throw new LocalpostError(
    'domain_not_verified',
    `The sending domain ${quote(domain.name)} is not verified: its status is ${domain.status}. ${remedy}`,
  )
}

function notRegistered(name: string): LocalpostError {
  return new LocalpostError(
    'domain_not_registered',
    `The sending domain ${quote(name)} is not registered. Create it with POST /v1/domains and verify it, or start without strict.`,
  )
}
