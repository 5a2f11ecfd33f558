import { zoneOf } from './names.ts'

/** A DNS record that the checks of mail read. */
export interface ZoneRecord {
  /** Absolute, in lower case, without a dot at the end. */
  name: string
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT'
  /** The strings of a TXT record joined; the host of an MX record. */
  value: string
}

/** Records of some domains. */
export interface ZoneRecords {
  records: readonly ZoneRecord[]
  /** The registrable domains of which every record is known. */
  complete: readonly string[]
}

/** Answers like a DNS server, only from known records. */
export interface Zone {
  /** @returns Null if the records of the name are not known here. */
  find(name: string, type: 'A' | 'AAAA' | 'MX' | 'TXT'): string[] | null
}

/** A zone of these records. Aliases are followed. */
export function createZone({ records, complete }: ZoneRecords): Zone {
  const byName = new Map<string, string[]>()
  for (const { name, type, value } of records) {
    const key = `${type} ${name}`
    byName.set(key, [...(byName.get(key) ?? []), value])
  }
  return {
    find(given, type) {
      let name = toName(given)
      for (let aliases = 0; aliases < maxAliases; aliases++) {
        const found = byName.get(`${type} ${name}`)
        if (found) return found
        const [alias] = byName.get(`CNAME ${name}`) ?? []
        if (alias === undefined) return complete.includes(zoneOf(name) ?? name) ? [] : null
        name = alias
      }
      return []
    },
  }
}

/** A name as zones have it: in lower case, without the dot at its end. */
export function toName(written: string): string {
  return written.toLowerCase().replace(/\.$/, '')
}

// A longer chain of aliases has no answer.
const maxAliases = 8
