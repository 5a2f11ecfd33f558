import { Readable } from 'node:stream'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import { isErrorOf, validationError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { assertIntact } from './message-streams.ts'

type Blobs = Pick<Store, 'openBlob' | 'readBlob' | 'blobSize'>

/** The last file of an archive from which messages are missing: one line for each, with its file name and why. */
export const errorsFileName = 'errors.txt'

/**
 * The messages of mails as a ZIP archive of `.eml` files. It is made while it is read, so memory holds at most one
 * small message or a piece of a large one. Mails without a message are left out. Those whose bytes are damaged are left
 * out too, and {@link errorsFileName} lists them.
 */
export function zipMessages(mails: AsyncIterable<EmailRecord>, store: Blobs): Readable {
  return Readable.from(pieces(mails, store), { objectMode: false })
}

async function* pieces(mails: AsyncIterable<EmailRecord>, store: Blobs): AsyncGenerator<Uint8Array> {
  const { Zip, ZipPassThrough } = await import('fflate')
  const ready: Uint8Array[] = []
  let bytes = 0
  const taken = (): Uint8Array[] => ready.splice(0)
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
  })
  const begin = (name: string, time: number): InstanceType<typeof ZipPassThrough> => {
    const file = new ZipPassThrough(name)
    file.mtime = new Date(Math.max(time, earliestZipTime))
    zip.add(file)
    return file
  }
  const errors: string[] = []
  for await (const email of mails) {
    const name = exportFileName(email)
    const message = await wholeMessage(store, email.id).catch((error: unknown) => {
      if (!isErrorOf(error, 'store_corrupt', 'store_failed')) throw error
      errors.push(`${name}: ${error.code}: ${error.message.replaceAll(/\s+/g, ' ')}\n`)
      return null
    })
    if (!message) continue
    const file = begin(name, email.created)
    for await (const piece of message) {
      bytes += piece.length
      if (bytes > maxArchiveBytes) throw new Error('An archive holds up to 4 GB; narrow the query.')
      file.push(piece)
      yield* taken()
    }
    file.push(new Uint8Array(), true)
    yield* taken()
  }
  if (errors.length > 0) begin(errorsFileName, earliestZipTime).push(Buffer.from(errors.join('')), true)
  zip.end()
  yield* taken()
}

/** The bytes of a message, after a check that all of them can be read. @throws store_corrupt, store_failed. */
async function wholeMessage(
  store: Blobs,
  emailId: string,
): Promise<Iterable<Uint8Array> | AsyncIterable<Uint8Array> | null> {
  const id = messageBlob(emailId)
  const size = await store.blobSize(id)
  if (size === null) return null
  if (size <= maxBufferedBytes) {
    const bytes = await store.readBlob(id)
    return bytes && [bytes]
  }
  await assertIntact(store, id)
  return await store.openBlob(id)
}

/** @throws validation_error for more mails than a ZIP archive can hold. */
export function assertExportable(count: number): void {
  if (count <= maxFiles) return
  const message = `matches ${count} mails; an archive holds up to ${maxFiles}. Narrow the query, for example by dates`
  throw validationError([{ field: 'query', message }])
}

/** A file name that every system accepts: the subject for people, and the id to make it unique. */
export function exportFileName({ id, subject }: Pick<EmailRecord, 'id' | 'subject'>): string {
  const words = subject
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
  return `${id}${words === '' ? '' : `-${words}`}.eml`
}

// ZIP has no earlier times.
const earliestZipTime = Date.UTC(1980, 0, 2)
const maxFiles = 65_000
const maxArchiveBytes = 0xffff_ffff - 64 * 1024 * 1024
/** A larger message is streamed. */
const maxBufferedBytes = 1024 * 1024
