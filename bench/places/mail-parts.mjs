/** Small places for the row `smtp 2 KB`. Each call does what one captured mail needs, or a given number of them. */
import { load, replaced } from './versions.mjs'

const envelope = Buffer.from('MAIL FROM:<sender0@acme.test>\r\nRCPT TO:<ada0@example.com>\r\nDATA\r\n')
const pipelinedMails = 600
/** As much as is read from a socket at once. */
const pipelined = Buffer.from(`${envelope.toString()}Subject: Hi\r\n\r\nHi.\r\n.\r\n`.repeat(pipelinedMails))

/** @type {Record<string, import('../places.mjs').Place>} */
export const mailPartPlaces = {
  // src/mime/headers/addresses.ts: simple addresses of a header.
  'header addresses': calls(
    'mime/headers/addresses.ts',
    {
      'mime/headers/addresses.ts': (code) =>
        replaced(
          code,
          'const simple = simpleAddress.exec(text)',
          'const simple = null as RegExpExecArray | null',
        ),
    },
    ({ parseAddresses }) =>
      () => {
        parseAddresses('Sender 7 <sender7@acme.test>')
        parseAddresses('Ada Lovelace <ada7@example.com>')
      },
  ),
  // src/core/ids.ts: random bytes for many ids are asked for at once.
  'random bytes of ids': calls(
    'core/ids.ts',
    {
      'core/ids.ts': (code) =>
        replaced(code, 'const poolBytes = 128 * tailLength', 'const poolBytes = tailLength'),
    },
    twoIds,
  ),
  // src/capture/stream.ts: how lines of commands are read, here of short mails sent in one chunk. The plain version copies
  // the rest of the chunk for each mail.
  'smtp lines': calls(
    'capture/stream.ts',
    {
      'capture/stream.ts': (code) =>
        replaced(
          code,
          'override write(chunk: Buffer | string): boolean {',
          `#lines = 0
        override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
          if (!this._dataMode && this._remainder === '' && isTlsRecord(chunk)) return this.#onTls()
          this.#isBusy = true
          this.#lines = 0
          if (!this._dataMode) for (const octet of chunk) if (octet === 10) this.#lines++
          super._write(chunk, encoding, (error) => {
            this.#isBusy = false
            done(error)
          })
        }
        unusedWrite(chunk: Buffer | string): boolean {`,
          'override oncommand(line: Buffer): void {',
          `override oncommand(line: Buffer, done?: () => void): void {
          this.#hasNext = --this.#lines > 0
          if (done) return this.#onLine(line.toString(), done)`,
          'override _final(',
          'unusedFinal(',
          'else this.#readLines(chunk, done)',
          `else super._write(chunk, 'buffer', done)`,
        ),
    },
    ({ CaptureStream }) => {
      let left = 0
      let onLast
      const stream = new CaptureStream(undefined, (line, done) => {
        if (line === 'DATA') {
          const data = stream.startDataMode()
          data.once('end', () => {
            stream.continue()
            if (--left === 0) onLast()
          })
          data.resume()
        }
        done()
      })
      return () =>
        new Promise((resolve) => {
          left = pipelinedMails
          onLast = resolve
          stream.write(pipelined)
        })
    },
    { count: 20, mails: pipelinedMails },
  ),
}

/** Two ids, as one captured mail takes. */
function twoIds({ createIds }) {
  const ids = createIds({ now: Date.now })
  return () => {
    ids.next('em')
    ids.next('em')
  }
}

/** @param make  Makes the measured function from a loaded module. */
function calls(paths, changes, make, { count = 10_000, mails = 1 } = {}) {
  return {
    count,
    mails,
    versions: async () => ({
      kept: await make(await load(paths)),
      plain: await make(await load(paths, changes)),
    }),
  }
}
