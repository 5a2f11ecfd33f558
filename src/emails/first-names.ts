import { parseAddresses, type ParsedAddress } from '../mime/headers/addresses.ts'
import { foldSpace } from '../mime/fold-space.ts'

/** The display names of the first addresses of a list, for lists of mail; undefined if none of them has one. */
export function firstNames(addresses: readonly ParsedAddress[]): string[] | undefined {
  if (!addresses.some(({ name }, at) => at < most && name !== '')) return undefined
  return addresses.slice(0, most).map(({ name }) => foldSpace(name.slice(0, longest)))
}

/** The same for the recipients of a send request. Bare addresses are not parsed again. */
export function firstNamesOfGiven(given: string | readonly string[] | undefined): string[] | undefined {
  const texts = typeof given === 'string' ? [given] : (given ?? []).slice(0, most)
  if (!texts.some((text) => text.includes('<') || text.includes('('))) return undefined
  const [only = ''] = texts
  return firstNames(texts.length === 1 ? parseAddresses(only) : texts.flatMap(parseAddresses))
}

const most = 3
const longest = 200
