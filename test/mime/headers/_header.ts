import { resultSteps, unpaced } from '../../../src/core/yield.ts'
import type { ParsedAddress } from '../../../src/mime/headers/addresses.ts'
import { headerBlockSteps } from '../../../src/mime/headers/headers.ts'

/** A header block that was read in one turn. */
export interface ReadHeader {
  fields: readonly (readonly [name: string, value: string])[]
  bodyStart: number
  decoded(name: string): string
  addresses(name: string): ParsedAddress[]
  furtherAddresses(name: string): string[]
}

export function readHeader(bytes: Uint8Array): ReadHeader {
  const block = unpaced(headerBlockSteps(bytes))
  return {
    fields: block.fields,
    bodyStart: block.bodyStart,
    decoded: (name) => unpaced(resultSteps(block.decoded(name))),
    addresses: (name) => unpaced(resultSteps(block.addresses(name))),
    furtherAddresses: (name) => unpaced(block.furtherAddresses(name)),
  }
}
