import { textOf } from './octets.ts'

/** How many addresses of a header field are read with their names. */
export const maxAddresses = 1000
/** How far a list is read, even if it has few addresses. */
const maxListLength = 256 * 1024
/** Entries with or without an address, such as a list that only has names. */
const maxEntries = 10_000
/** A longer quoted text is taken as ordinary text. */
const maxQuotedLength = 2000

/** The end of the last address that is read, with its comma. A part of an address could be another address. */
export function endOfAddresses(list: string): number {
  const quoted = createQuotedText(list)
  const signs = /[",;@]/g
  let hasAddress = false
  let count = 0
  let entries = 0
  for (let sign = signs.exec(list); sign && sign.index < maxListLength; sign = signs.exec(list)) {
    // A comma in a quoted name ends no address.
    if (sign[0] === '"') signs.lastIndex = quoted.endOf(sign.index) ?? signs.lastIndex
    else if (sign[0] === '@') hasAddress = true
    else {
      if (hasAddress) count++
      hasAddress = false
      if (count === maxAddresses || ++entries === maxEntries) return signs.lastIndex
    }
  }
  return list.length > maxListLength ? list.lastIndexOf(',', maxListLength) + 1 : list.length
}

/** The bare addresses in a part of a list, found only by their form, in linear time. */
export function bareAddresses(list: string): string[] {
  const addresses: string[] = []
  if (!list.includes('@')) return addresses
  const quoted = createQuotedText(list)
  const words = /"|[^\s<>,;:"()]+/g
  /** A quoted text, which is a local part if `@` follows. */
  let before = { text: '', end: -1 }
  for (let word = words.exec(list); word; word = words.exec(list)) {
    const [text] = word
    if (text === '"') {
      const end = quoted.endOf(word.index)
      if (end === null) continue
      before = { text: list.slice(word.index, end), end }
      words.lastIndex = end
    } else if (before.end === word.index && /^@[^@]+$/.test(text)) addresses.push(textOf(before.text + text))
    else if (/[^@]@[^@]/.test(text)) addresses.push(textOf(text))
  }
  return addresses
}

/** Finds the end of quoted texts. A quote that does not end within the bound is ordinary text, and so are the quotes in it. */
function createQuotedText(list: string): { endOf(start: number): number | null } {
  /** Before this offset quotes are text, because one did not end. */
  let textUntil = 0
  return {
    endOf(start) {
      if (start < textUntil) return null
      const last = Math.min(list.length, start + maxQuotedLength)
      for (let at = start + 1; at < last; at++) {
        if (list[at] === '"') return at + 1
        if (list[at] === '\\') at++
      }
      textUntil = last
      return null
    },
  }
}
