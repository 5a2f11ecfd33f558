import { parseJsonBody, readTextBody } from '../core/json-body.ts'
import { readContactRows, type ContactRow } from './contact-rows.ts'
import { maxRejected } from './schema.ts'

/** The reading of the rows of a long import as work of the thread. */
export const contactJobs = {
  /**
   * @param bytes  CSV text, or JSON: an array of contacts, or one.
   * @returns The rows, as arrays in JSON.
   * @throws as `parseJsonBody` and `readContactRows`.
   */
  async contactRows(bytes: Buffer, isText: boolean): Promise<Uint8Array[]> {
    const value = isText ? readTextBody(bytes) : parseJsonBody(bytes)
    const slices: Uint8Array[] = []
    let rows: ContactRow[] = []
    let invalid = 0
    const endSlice = (): void => {
      // Copied out of the pool of small buffers, so that it can be transferred.
      slices.push(new Uint8Array(Buffer.from(JSON.stringify(rows))))
      rows = []
    }
    for await (const row of readContactRows(isText || Array.isArray(value) ? value : [value])) {
      // The caller lists only the first `maxRejected` of them and counts the others.
      const isUnlisted = 'message' in row && ++invalid > maxRejected
      rows.push(isUnlisted ? { line: row.line, message: '' } : row)
      if (rows.length === rowsOfSlice) endSlice()
    }
    if (rows.length > 0) endSlice()
    return slices
  },
}

const rowsOfSlice = 500
