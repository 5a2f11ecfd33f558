import { foldSpace } from '../core/fold-space.ts'
import type { ParsedAddress } from '../mime/headers/addresses.ts'

/** The display names of a list of addresses in their order, `""` where one has none; undefined if none of them has one. */
export function displayNames(addresses: readonly ParsedAddress[]): string[] | undefined {
  if (!addresses.some(({ name }) => name !== '')) return undefined
  return addresses.map(({ name }) => foldSpace(name.slice(0, longest)))
}

const longest = 200
