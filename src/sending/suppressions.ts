import type { Complete } from '../core/complete.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { parseInput } from '../core/validate.ts'
import { normalizeAddress } from '../mime/headers/addresses.ts'
import { listRecords } from '../store/repository.ts'
import { remove } from '../store/store.ts'
import { suppressionInputSchema } from './schema.ts'
import { openSuppressionList, type SuppressionList, type SuppressionListDeps } from './suppression-list.ts'
import { suppressionCollection, suppressionId, toChange, type SuppressionRecord } from './suppression.ts'
import type { Suppression, SuppressionInput } from './types.ts'

/** The addresses of an account that get no mail. */
export interface Suppressions {
  /** By address. @throws invalid_cursor. */
  list(query?: ListQuery): Promise<ListPage<Suppression>>
  /** @param address  In any case. @throws not_found. */
  get(address: string): Promise<Suppression>
  /** Adds an address, or replaces its entry. @throws validation_error. */
  add(input: SuppressionInput): Promise<Suppression>
  /** @param address  In any case. @throws not_found. */
  remove(address: string): Promise<void>
}

/** The same for other parts of the instance. */
export interface InnerSuppressions extends Suppressions, SuppressionList {}

/** Reads the list, and begins to add to it by the policy. */
export async function createSuppressions(
  deps: SuppressionListDeps & { pageSize: number },
): Promise<InnerSuppressions> {
  const { store, clock, pageSize } = deps
  const list = await openSuppressionList(deps)

  async function read(address: string): Promise<SuppressionRecord> {
    const record = await store.get(suppressionCollection, suppressionId(address))
    if (record) return record
    const message = `The address ${quote(address)} is not on the suppression list. Check its spelling.`
    throw new LocalpostError('not_found', message)
  }

  return {
    ...list,
    async list(query) {
      const page = await listRecords(store, suppressionCollection, query, {
        pageSize,
        index: 'address',
        cursorIs: 'an address',
        isCursor: (text) => text.includes('@'),
        cursorOf: (record) => record.address_key,
      })
      return { ...page, items: page.items.map(toSuppression) }
    },
    get: async (address) => toSuppression(await read(address)),
    async add(input) {
      const { address: given, reason = 'manual' } = parseInput(suppressionInputSchema, input)
      const result = normalizeAddress(given)
      if ('problem' in result)
        throw validationError([{ field: 'address', message: `${quote(given)} ${result.problem}` }])
      const entry = { address: result.address, reason, created: clock.now() }
      await store.commit([toChange(entry)])
      return entry
    },
    async remove(address) {
      const { id } = await read(address)
      await store.commit([remove(suppressionCollection, id)])
    },
  }
}

function toSuppression({ address, reason, created, email_id }: SuppressionRecord): Complete<Suppression> {
  return { address, reason, created, email_id }
}
