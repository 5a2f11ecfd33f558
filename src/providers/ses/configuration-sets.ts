import type { Clock } from '../../core/clock.ts'
import { isErrorOf, LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
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

const noun = 'configuration set'
const maxSets = 100
/** As SES. */
const maxDestinations = 10

/** The configuration sets of an account: a copy in memory, because each send and each event asks for them. */
export class ConfigurationSets {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'now'>
  /**
   * What is stored. `Following` puts the changes of other processes here. A change by this class is put here after its commit,
   * because `Following` does not read it if no other process uses the store. A reset removes the records one by one, and
   * `#follow` listens to that; a restore calls `reload`.
   */
  readonly #byName = new Map<string, ConfigurationSet>()

  private constructor({ store, clock }: { store: Store; clock: Pick<Clock, 'now'> }) {
    this.#store = store
    this.#clock = clock
  }

  /** Reads the configuration sets of an account, and follows the changes of other instances. */
  static async open(deps: {
    store: Store
    clock: Pick<Clock, 'now'>
    following: Following
  }): Promise<ConfigurationSets> {
    const sets = new ConfigurationSets(deps)
    await sets.#follow(deps.following)
    return sets
  }

  async #follow(following: Following): Promise<void> {
    await following.open(this.#store, configurationSetCollection, {
      ids: () => this.#byName.keys(),
      put: (record: ConfigurationSet) => void this.#byName.set(record.id, record),
      remove: (id) => void this.#byName.delete(id),
    })
    this.#store.changes(
      (change) => {
        if (change.op === 'remove') this.#byName.delete(change.id)
      },
      { of: configurationSetCollection },
    )
  }

  /** Reads the stored sets again, after a restore replaced them. */
  async reload(): Promise<void> {
    const { records } = await this.#store.page(configurationSetCollection, { limit: 1000 })
    this.#byName.clear()
    for (const record of records) this.#byName.set(record.id, record)
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** By name. */
  list(): ConfigurationSet[] {
    return [...this.#byName.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Also asserts that there is one. @throws not_found */
  get(name: string): ConfigurationSet {
    const found = this.#byName.get(name)
    if (found) return found
    throw notFound(noun, name)
  }

  /** @throws name_taken; state_conflict if there are 100 already. */
  async create(name: string): Promise<void> {
    if (this.has(name)) throw taken(noun, name)
    if (this.#byName.size >= maxSets) throw full(`There are ${maxSets} configuration sets.`)
    const record = { id: name, created: this.#clock.now(), destinations: [] }
    await this.#store.commit([insert(configurationSetCollection, record)]).catch((error: unknown) => {
      throw isErrorOf(error, 'unique_conflict') ? taken(noun, name) : error
    })
    this.#byName.set(name, { ...record, version: 1 })
  }

  /** Removes it with its destinations. @throws not_found */
  async remove(name: string): Promise<void> {
    this.get(name)
    await this.#store.commit([remove(configurationSetCollection, name)])
    this.#byName.delete(name)
  }

  /** @throws not_found; name_taken if it has one of this name; state_conflict if it has 10 already. */
  async addDestination(name: string, destination: EventDestination): Promise<void> {
    await this.#change(name, (all) => {
      if (all.some((one) => one.name === destination.name)) throw taken('event destination', destination.name)
      if (all.length >= maxDestinations)
        throw full(`The configuration set has ${maxDestinations} event destinations.`)
      return [...all, destination]
    })
  }

  /** @throws not_found, also for the destination. */
  async replaceDestination(name: string, destination: EventDestination): Promise<void> {
    await this.#change(name, (all) => {
      assertNamed(all, destination.name)
      return all.map((one) => (one.name === destination.name ? destination : one))
    })
  }

  /** @throws not_found, also for the destination. */
  async removeDestination(name: string, destinationName: string): Promise<void> {
    await this.#change(name, (all) => {
      assertNamed(all, destinationName)
      return all.filter((one) => one.name !== destinationName)
    })
  }

  /**
   * Whether a webhook gets an event. A webhook that no destination names gets all events;
   * any other gets only those that its destinations name.
   *
   * @param type  SES's name of the event: `Bounce`.
   */
  wants(webhookId: string, { metadata }: Pick<EmailRecord, 'metadata'>, type: string): boolean {
    const destinations = [...this.#byName.values()].flatMap((set) =>
      set.destinations.flatMap((one) => (one.webhook_id === webhookId ? { ...one, set: set.id } : [])),
    )
    const isOfEvent = ({ set, enabled, types }: EventDestination & { set: string }): boolean =>
      enabled && set === metadata?.[configurationSetTag] && types.some((one) => one === inCapitals(type))
    return destinations.length === 0 || destinations.some(isOfEvent)
  }

  async #change(
    name: string,
    changed: (destinations: readonly EventDestination[]) => EventDestination[],
  ): Promise<void> {
    const toNext = (set: ConfigurationSet): ConfigurationSet => ({
      ...set,
      destinations: changed(set.destinations),
    })
    this.#byName.set(name, await changeRecord(this.#store, configurationSetCollection, name, noun, toNext))
  }
}

/** The error for a send with a configuration set that does not exist. */
export function missingSet(name: string): LocalpostError {
  const message = `There is no configuration set ${quote(name)}. Create it with CreateConfigurationSet, or leave ConfigurationSetName out.`
  return new LocalpostError('not_found', message, { cause: missingSetCause })
}

/** The `cause` of that error: version 1 and bulk requests have a name of their own for it. */
export const missingSetCause = 'ConfigurationSetDoesNotExist'

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
