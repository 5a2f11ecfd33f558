import { validationError } from './errors.ts'
import { checkName, formFault, maxFormEntries, tooManyEntries, type FormEntry } from './form-entry.ts'
import { readTextBody } from './json-body.ts'
import { readParts } from './multipart-form.ts'

/** The content types that are read as forms. */
export const formTypes = ['multipart/form-data', 'application/x-www-form-urlencoded'] as const

/** The body of a request that is a form, not read yet. */
export class FormBody {
  readonly bytes: Buffer
  /** That of a `multipart/form-data`; null for `application/x-www-form-urlencoded`. */
  readonly boundary: string | null

  constructor(bytes: Buffer, boundary: string | null) {
    this.bytes = bytes
    this.boundary = boundary
  }

  /** @param type  The value of Content-Type. @throws validation_error for a multipart form without a boundary. */
  static fromContentType(bytes: Buffer, type: string): FormBody {
    if (!/^\s*multipart\//i.test(type)) return new FormBody(bytes, null)
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type) ?? []
    const boundary = quoted ?? plain
    if (boundary === undefined || !/^[ -~]{1,70}$/.test(boundary))
      throw formFault('is multipart/form-data, but its Content-Type has no boundary of 1 to 70 characters')
    return new FormBody(bytes, boundary)
  }

  /** The entries, in their order. The content of files is a part of the body, not a copy. @throws validation_error */
  read(): FormEntry[] {
    return this.boundary === null ? readQuery(this.bytes) : readParts(this.bytes, this.boundary)
  }
}

/** Reads a form without files. @returns The texts by name; a list where a name repeats. @throws validation_error */
export function readTextForm(form: FormBody): Record<string, string | string[]> {
  const texts = new Map<string, string | string[]>()
  for (const entry of form.read()) {
    const { name } = entry
    if ('file' in entry) throw validationError([{ field: name, message: 'must be a text, not a file' }])
    const before = texts.get(name)
    if (before === undefined) texts.set(name, entry.text)
    else if (Array.isArray(before)) before.push(entry.text)
    else texts.set(name, [before, entry.text])
  }
  return Object.fromEntries(texts)
}

function readQuery(bytes: Buffer): FormEntry[] {
  const text = readTextBody(bytes)
  // Before it is parsed, because each entry takes memory.
  let separators = 0
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++separators >= maxFormEntries) throw tooManyEntries()
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name: checkName(name), text: value }))
}
