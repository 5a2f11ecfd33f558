import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { type Ids, isId } from '../core/ids.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { changeRecord, listRecords, readRecord, untilCommitted } from '../store/repository.ts'
import { type Store, insert, remove, update } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { type DkimKeys, createDkimKeys, generateDkimKey, type DkimKeysDeps } from './dkim-keys.ts'
import { type DnsLookup, createDnsLookup } from './dns-lookup.ts'
import { type DnsSettings, dnsRecords } from './dns-records.ts'
import { zoneFile } from './zone-file.ts'
import { type DomainRecord, domainCollection, findDomain } from './domain.ts'
import type {
  CreatedBy,
  CreatedDomain,
  DeclaredVerification,
  DnsRecord,
  DomainDetail,
  DomainListItem,
  DomainSettings,
  DomainSummary,
  NewDomain,
  RecordCheck,
} from './types.ts'
import { parseDomainName } from './names.ts'
import { createDomainSchema, strictDomainSchema, verifyInputSchema, domainSettingsSchema } from './schema.ts'
import { type Senders, blankDomain, createSenders } from './senders.ts'
import { beginLookup, endLookup, setStatus } from './transitions.ts'
import { checkRecords, findSoa, firstFault } from './verification.ts'
import { toDomainDetail, toDomainListItem } from './views.ts'

/** Dependencies of {@link createDomains}. */
export interface DomainsDeps {
  store: Store
  /** Makes the key of domains that only mail mentioned. Default: a new one. */
  makeSharedKey?: DkimKeysDeps['makeShared']
  clock: Clock
  ids: Ids
  account: CreatedBy
  dns: DnsSettings
  pageSize: number
  /** Refuses API sends from domains that were not created. Default: false. */
  strict?: boolean
  /** Where records are looked up. Default: the DNS servers of the machine. */
  lookup?: DnsLookup
}

/** Sending domains: what `/v1/domains`, `/dev/domains` and sending need of them. */
export interface Domains {
  /**
   * Registers a domain with its own DKIM key. A name that only mail mentioned keeps its id and `created`.
   *
   * @throws validation_error for field `name`; domain_exists when it is registered already.
   */
  create(input: NewDomain): Promise<CreatedDomain>
  /** Newest first. @throws invalid_cursor */
  list(query?: ListQuery): Promise<ListPage<DomainListItem>>
  /** @throws not_found */
  get(id: string): Promise<DomainDetail>
  /** Changes what is given. @throws not_found, validation_error */
  update(id: string, settings: DomainSettings): Promise<DomainDetail>
  /** Removes a domain; emails that name it keep its id. @throws not_found */
  remove(id: string): Promise<void>
  /**
   * Declares a state by hand; `NOT_STARTED` forgets every check. Without a state, looks the records up in DNS and
   * answers when that is done, within a few seconds; a domain that was never checked is PENDING meanwhile.
   *
   * @throws not_found, validation_error
   */
  verify(id: string, declared?: Partial<DeclaredVerification>): Promise<DomainDetail>
  /** Looks the records up in DNS and returns what was found; changes nothing. @throws not_found */
  records(id: string): Promise<RecordCheck[]>
  /** The records as the text of a zone file. @throws not_found */
  zone(id: string): Promise<string>
}

/** The same, and what other parts of an instance need; not public. */
export interface InnerDomains extends Domains, Senders, Pick<DkimKeys, 'signingKey'> {
  /** Newest first, with whether each was created. @throws invalid_cursor */
  summaries(query?: ListQuery): Promise<ListPage<DomainSummary>>
}

export function createDomains(deps: DomainsDeps): InnerDomains {
  const { store, clock, ids, account, dns, pageSize, strict = false, lookup = createDnsLookup() } = deps
  const keys = createDkimKeys({ store, clock, selector: dns.selector, makeShared: deps.makeSharedKey })

  const isCursor = (text: string): boolean => isId('dom', text)
  const order = { pageSize, direction: 'desc', cursorIs: 'the id of a domain', isCursor } as const
  const read = (id: string): Promise<DomainRecord> => readRecord(store, domainCollection, id, 'domain')
  const change = (id: string, to: (domain: DomainRecord) => DomainRecord): Promise<DomainRecord> =>
    changeRecord(store, domainCollection, id, 'domain', to)
  const detail = async (domain: DomainRecord): Promise<DomainDetail> =>
    toDomainDetail(domain, await keys.keyOf(domain), dns, account)
  const recordsOf = async (domain: DomainRecord): Promise<DnsRecord[]> =>
    dnsRecords(domain.name, await keys.keyOf(domain), dns)

  async function verifyInDns(id: string): Promise<DomainRecord> {
    const asked = await change(id, (domain) => beginLookup(domain, clock.now()))
    const checking = checkRecords(asked.name, await recordsOf(asked), lookup)
    const [checks, soa_record] = await Promise.all([checking, findSoa(asked.name, lookup)])
    // A look-up that was ended is no statement about the records.
    if (lookup.isClosed) throw new LocalpostError('closed', 'The instance was closed during the look-up.')
    const outcome = { error_type: firstFault(checks), soa_record }
    // If the domain got its own key meanwhile, the records of another key were looked up.
    return change(id, (domain) =>
      domain.registered === asked.registered ? endLookup(domain, outcome, clock.now()) : domain,
    )
  }

  return {
    ...createSenders({ store, clock, ids, strict }),
    signingKey: keys.signingKey,
    async create(input) {
      const name = parseDomainName(parseInput(strict ? strictDomainSchema : createDomainSchema, input).name)
      await findMentioned(store, name)
      const dkim = await generateDkimKey(dns.selector)
      return untilCommitted(async () => {
        const mentioned = await findMentioned(store, name)
        const domain = mentioned
          ? { ...setStatus(mentioned, { status: 'NOT_STARTED' }, clock.now()), registered: true, dkim }
          : { ...blankDomain(ids.next('dom'), name, clock.now()), version: 1, dkim }
        await store.commit([mentioned ? update(domainCollection, domain) : insert(domainCollection, domain)])
        const { id, status } = domain
        return { id, name, status, dns_records: dnsRecords(name, dkim, dns) }
      })
    },
    async summaries(query) {
      const page = await listRecords(store, domainCollection, query, order)
      const items = page.items.map(({ id, name, status, created, registered }) => {
        return { id, name, status, created, is_created: registered }
      })
      return { ...page, items }
    },
    async list(query) {
      const page = await listRecords(store, domainCollection, query, order)
      const items = page.items.map(async (domain) =>
        toDomainListItem(domain, await keys.keyOf(domain), dns, account),
      )
      return { ...page, items: await Promise.all(items) }
    },
    get: async (id) => detail(await read(id)),
    async update(id, settings) {
      const given = parseInput(domainSettingsSchema, settings)
      return detail(await change(id, (domain) => withSettings(domain, given, clock.now())))
    },
    async remove(id) {
      await read(id)
      await store.commit([remove(domainCollection, id)])
    },
    async verify(id, declared = {}) {
      const { status, error_type } = parseInput(verifyInputSchema, declared)
      if (status === undefined) return detail(await verifyInDns(id))
      return detail(await change(id, (domain) => setStatus(domain, { status, error_type }, clock.now())))
    },
    async records(id) {
      const domain = await read(id)
      return checkRecords(domain.name, await recordsOf(domain), lookup)
    },
    async zone(id) {
      const domain = await read(id)
      return zoneFile(domain.name, await recordsOf(domain))
    },
  }
}

/** The record of a name that only mail mentioned, or null. @throws domain_exists if it is registered. */
async function findMentioned(store: Store, name: string): Promise<DomainRecord | null> {
  const known = await findDomain(store, name)
  if (!known?.registered) return known
  throw new LocalpostError(
    'domain_exists',
    `The domain ${quote(name)} is registered already: use ${known.id}, or remove it first.`,
  )
}

function withSettings(domain: DomainRecord, given: DomainSettings, now: number): DomainRecord {
  const { is_warmed_up = domain.is_warmed_up } = given
  return {
    ...domain,
    open_tracking_enabled: given.open_tracking_enabled ?? domain.open_tracking_enabled,
    click_tracking_enabled: given.click_tracking_enabled ?? domain.click_tracking_enabled,
    is_warmed_up,
    // A second "true" does not move the time of the first.
    warmed_up_at: is_warmed_up ? (domain.warmed_up_at ?? now) : null,
  }
}
