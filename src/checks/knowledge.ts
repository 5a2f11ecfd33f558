import { open, type FileHandle } from 'node:fs/promises'
import { invalidOption, messageOf } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { ZoneRecords } from '../domains/zone.ts'
import { parseZone } from '../domains/zone-file.ts'
import { parseAddress } from '../net/addresses.ts'

/** The options that describe how the mail will be sent. */
export interface SendingFacts {
  /** A zone file; null without one. */
  zone?: string | null | undefined
  /** IP addresses of the hosts that will send the mail. */
  sendingHosts?: readonly string[] | undefined
}

/** The DNS records of the zone file, and the hosts that will send the mail. */
export interface SendingKnowledge extends ZoneRecords {
  sendingHosts: readonly string[]
}

/** @throws invalid_option if the zone file cannot be read or is not valid, and for a host that is not an IP address. */
export async function readSendingKnowledge({
  zone,
  sendingHosts = [],
}: SendingFacts): Promise<SendingKnowledge> {
  for (const host of sendingHosts) {
    if (parseAddress(host)) continue
    throw invalidOption(`checks.sendingHosts: ${quote(host)} is not an IP address such as "203.0.113.5".`)
  }
  const records = zone ? parseZone(await readZone(zone)) : { records: [], complete: [] }
  return { ...records, sendingHosts }
}

async function readZone(path: string): Promise<string> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const { size } = await file.stat()
    if (size > maxZoneBytes) throw new Error(`it has ${size} bytes, and may have ${maxZoneBytes}`)
    return await file.readFile('utf8')
  } catch (cause) {
    const message = `The zone file ${quote(path)} cannot be read: ${messageOf(cause)}.`
    throw invalidOption(message, cause)
  } finally {
    await file?.close()
  }
}

const maxZoneBytes = 1024 * 1024
