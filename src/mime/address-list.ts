/** How many addresses of a header field are read with their names. */
export const maxAddresses = 1000
/** No list is read further, however few addresses it has. */
const maxListLength = 256 * 1024

/**
 * Splits an address list behind the addresses that are read: the full grammar of a hostile list would take long.
 *
 * @returns `rest` is `""` for all but very long lists.
 */
export function splitAddressList(list: string): { read: string; rest: string } {
  // Shorter than `a@b,` for each address.
  if (list.length < 4 * maxAddresses) return { read: list, rest: '' }
  const end = endOfAddresses(list)
  return { read: list.slice(0, end), rest: list.slice(end) }
}

/** Where the last address that is read ends, with its comma. Half of an address would be another. */
function endOfAddresses(list: string): number {
  // A comma in a quoted name ends no address.
  const signs = /"(?:[^"\\]|\\.){0,1000}"|[,;@]/g
  let hasAddress = false
  let count = 0
  for (let sign = signs.exec(list); sign && sign.index < maxListLength; sign = signs.exec(list)) {
    if (sign[0] === '@') hasAddress = true
    else if (hasAddress && sign[0].length === 1) {
      hasAddress = false
      if (++count === maxAddresses) return signs.lastIndex
    }
  }
  return list.length > maxListLength ? list.lastIndexOf(',', maxListLength) + 1 : list.length
}

/** The bare addresses of a part of a list, found by their form alone: in time that grows with its length only. */
export function bareAddressesIn(list: string): string[] {
  return list.includes('@') ? list.split(/[\s<>,;:"()]+/).filter((word) => /[^@]@[^@]/.test(word)) : []
}
