import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import { parseBaselineMails, type BaselineMail } from './data.ts'
import { bodyOpening, indexOpening } from './page.ts'

/** The report of an earlier run. */
export interface Baseline {
  mails: ReadonlyMap<string, BaselineMail>
  /** The snapshot of one of its mails; null if it cannot be read. */
  snapshot(key: string): Promise<string | null>
}

/** Reads the mails of a report to compare a run with. @throws Error that says why it cannot be read. */
export async function readBaseline(path: string): Promise<Baseline> {
  const { size } = await stat(path)
  if (size > maxReportBytes) throw new Error(`it is longer than ${maxReportBytes} bytes`)
  const html = await readFile(path, 'utf8')
  const index = between(html, indexOpening)
  if (index === null) throw new Error('it is no report of Localpost')
  const mails = parseBaselineMails(index)
  const places = new Map(mails.map(({ key }, at) => [key, at]))
  return {
    mails: new Map(mails.map((mail) => [mail.key, mail])),
    async snapshot(key) {
      const place = places.get(key)
      const body = place === undefined ? null : between(html, bodyOpening(place))
      if (body === null) return null
      try {
        const bytes = await unzip(Buffer.from(body, 'base64'), { maxOutputLength: maxSnapshotBytes })
        return bodySchema.parse(JSON.parse(bytes.toString())).snapshot
      } catch {
        return null
      }
    },
  }
}

const unzip = promisify(gunzip)
const bodySchema = z.object({ snapshot: z.string() })
const maxReportBytes = 512 * 1024 * 1024
const maxSnapshotBytes = 64 * 1024 * 1024

function between(html: string, opening: string): string | null {
  const start = html.indexOf(opening)
  if (start === -1) return null
  const end = html.indexOf('</script>', start)
  return end === -1 ? null : html.slice(start + opening.length, end)
}
