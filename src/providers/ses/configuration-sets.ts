import type { Clock } from '../../core/clock.ts'
import { LocalpostError, quote } from '../../core/errors.ts'
import type { EmailRecord } from '../../emails/email.ts'
import type { Following } from '../../store/follow.ts'
import { changeRecord, notFound } from '../../store/repository.ts'
import { insert, remove, type Collection, type Store, type StoredRecord } from '../../store/store.ts'
import { configurationSetTag } from './conventions.ts'

/** The events that SES lets a destination name. The last two never happen here. */
export const eventTypes = [
  'SEND',
  'REJECT',
  'BOUNCE',
  'COMPLAINT',
  'DELIVERY',
  'OPEN',
  'CLICK',
  'DELIVERY_DELAY',
  'RENDERING_FAILURE',
  'SUBSCRIPTION',
] as const

/** A configuration set as stored. Its id is its name. */
export interface ConfigurationSet extends StoredRecord {
  /** Unix time in milliseconds. */
  created: number
  destinations: EventDestination[]
}

/** Where certain events of the emails of a configuration set go. */
export interface EventDestination {
  name: string
  enabled: boolean
  types: (typeof eventTypes)[number][]
  /** As it was given. */
  topic_arn: string
  /** The webhook that the topic stands for. */
  webhook_id: string
}

export const configurationSetCollection: Collection<ConfigurationSet> = {
  name: 'configuration_sets',
  indexes: {},
}

/** The configuration sets of an account: a copy in memory, because each send and each event asks for them. */
export interface ConfigurationSets {
  has(name: string): boolean
  /** By name. */
  list(): readonly ConfigurationSet[]
  /** @throws not_found */
  get(name: string): ConfigurationSet
  /** @throws name_taken; state_conflict if there are 100 already. */
  create(name: string): Promise<void>
  /** Removes it with its destinations. @throws not_found */
  remove(name: string): Promise<void>
  /** @throws not_found; name_taken if it has one of this name; state_conflict if it has 10 already. */
  addDestination(name: string, destination: EventDestination): Promise<void>
  /** @throws not_found, also for the destination. */
  replaceDestination(name: string, destination: EventDestination): Promise<void>
  /** @throws not_found, also for the destination. */
  removeDestination(name: string, destinationName: string): Promise<void>
  /** Reads the stored sets again, after a restore replaced them. */
  reload(): Promise<void>
  /**
   * Whether a webhook gets an event. One that no destination names gets all; another one only what its destinations ask for.
   *
   * @param type  SES's name of the event: `Bounce`.
   */
  wants(webhookId: string, email: Pick<EmailRecord, 'metadata'>, type: string): boolean
}

export async function openConfigurationSets({
  store,
  clock,
  following,
}: {
  store: Store
  clock: Pick<Clock, 'now'>
  following: Following
}): Promise<ConfigurationSets> {
  const known = new Map<string, ConfigurationSet>()
  const forget = (id: string): void => void known.delete(id)
  await following.open(store, configurationSetCollection, {
    ids: () => known.keys(),
    put: (record: ConfigurationSet) => void known.set(record.id, record),
    remove: forget,
  })
  store.changes(
    (change) => {
      // Of a reset.
      if (change.op === 'remove') forget(change.id)
    },
    { of: configurationSetCollection },
  )

  function get(name: string): ConfigurationSet {
    const found = known.get(name)
    if (found) return found
    throw notFound('configuration set', name)
  }

  async function change(
    name: string,
    changed: (destinations: readonly EventDestination[]) => EventDestination[],
  ): Promise<void> {
    const record = await changeRecord(store, configurationSetCollection, name, noun, (set) => ({
      ...set,
      destinations: changed(set.destinations),
    }))
    known.set(name, record)
  }

  return {
    has: (name) => known.has(name),
    list: () => [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    get,
    async create(name) {
      if (known.has(name)) throw taken(noun, name)
      if (known.size >= maxSets) throw full(`There are ${maxSets} configuration sets.`)
      const record = { id: name, created: clock.now(), destinations: [] }
      await store.commit([insert(configurationSetCollection, record)]).catch((error: unknown) => {
        throw error instanceof LocalpostError && error.code === 'unique_conflict' ? taken(noun, name) : error
      })
      known.set(name, { ...record, version: 1 })
    },
    async remove(name) {
      get(name)
      await store.commit([remove(configurationSetCollection, name)])
      forget(name)
    },
    addDestination: (name, destination) =>
      change(name, (all) => {
        if (all.some((one) => one.name === destination.name))
          throw taken('event destination', destination.name)
        if (all.length >= maxDestinations)
          throw full(`The configuration set has ${maxDestinations} event destinations.`)
        return [...all, destination]
      }),
    replaceDestination: (name, destination) =>
      change(name, (all) => {
        assertNamed(all, destination.name)
        return all.map((one) => (one.name === destination.name ? destination : one))
      }),
    removeDestination: (name, gone) =>
      change(name, (all) => {
        assertNamed(all, gone)
        return all.filter((one) => one.name !== gone)
      }),
    async reload() {
      const { records } = await store.page(configurationSetCollection, { limit: 1000 })
      known.clear()
      for (const record of records) known.set(record.id, record)
    },
    wants(webhookId, { metadata }, type) {
      const destinations = [...known.values()].flatMap((set) =>
        set.destinations.flatMap((one) => (one.webhook_id === webhookId ? { ...one, set: set.id } : [])),
      )
      const isOfEvent = ({ set, enabled, types }: EventDestination & { set: string }): boolean =>
        enabled && set === metadata?.[configurationSetTag] && types.some((one) => one === inCapitals(type))
      return destinations.length === 0 || destinations.some(isOfEvent)
    },
  }
}

/** The error for a send with a configuration set that there is not. */
export function missingSet(name: string): LocalpostError {
  const message = `There is no configuration set ${quote(name)}. Create it with CreateConfigurationSet, or leave ConfigurationSetName out.`
  return new LocalpostError('not_found', message, { cause: missingSetCause })
}

/** The `cause` of that error: version 1 and bulk requests have a name of their own for it. */
export const missingSetCause = 'ConfigurationSetDoesNotExist'

const noun = 'configuration set'
const maxSets = 100
/** As SES. */
const maxDestinations = 10

/** `DeliveryDelay` as event destinations name it: `DELIVERY_DELAY`. */
function inCapitals(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}

function assertNamed(all: readonly EventDestination[], name: string): void {
  if (!all.some((one) => one.name === name)) throw notFound('event destination', name)
}

function taken(what: string, name: string): LocalpostError {
  return new LocalpostError('name_taken', `There is the ${what} ${quote(name)} already.`)
}

function full(what: string): LocalpostError {
  return new LocalpostError('state_conflict', `${what} Remove one first.`)
}
