import { Readable } from 'node:stream'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import { validationError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'

/**
 * The messages of mails as a ZIP archive of `.eml` files, made while it is read: no more than a piece of one message
 * waits, however many there are. Mails without a message are left out.
 */
export function zipMessages(mails: AsyncIterable<EmailRecord>, store: Pick<Store, 'openBlob'>): Readable {
  return Readable.from(pieces(mails, store), { objectMode: false })
}

async function* pieces(
  mails: AsyncIterable<EmailRecord>,
  store: Pick<Store, 'openBlob'>,
): AsyncGenerator<Uint8Array> {
  const { Zip, ZipPassThrough } = await import('fflate')
  const ready: Uint8Array[] = []
  let bytes = 0
  const taken = (): Uint8Array[] => ready.splice(0)
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
  })
  for await (const email of mails) {
    const message = await store.openBlob(messageBlob(email.id))
    if (!message) continue
    const file = new ZipPassThrough(exportName(email))
    file.mtime = new Date(Math.max(email.created, earliest))
    zip.add(file)
    for await (const piece of message) {
      bytes += (piece as Uint8Array).length
      if (bytes > maxBytes) throw new Error('An archive holds up to 4 GB; narrow the query.')
      file.push(piece as Uint8Array)
      yield* taken()
    }
    file.push(new Uint8Array(), true)
    yield* taken()
  }
  zip.end()
  yield* taken()
}

/** @throws validation_error for more mails than the form of an archive has room for. */
export function assertExportable(count: number): void {
  if (count <= maxFiles) return
  const message = `matches ${count} mails; an archive holds up to ${maxFiles}. Narrow it, with dates for one`
  throw validationError([{ field: 'query', message }])
}

const maxFiles = 65_000
const maxBytes = 0xffff_ffff - 64 * 1024 * 1024

/** A file name that no system takes amiss: the subject for people, the id so that it is the only one. */
export function exportName({ id, subject }: Pick<EmailRecord, 'id' | 'subject'>): string {
  const words = subject
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
  return `${id}${words === '' ? '' : `-${words}`}.eml`
}

// ZIP knows no time before.
const earliest = Date.UTC(1980, 0, 2)
