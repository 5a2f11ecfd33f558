import type { z } from 'zod'
import { type FieldError, validationError } from '../../core/errors.ts'
import { FormBody } from '../../core/form.ts'
import type { FormEntry, FormFile } from '../../core/form-entry.ts'
import { checkInput } from '../../core/validate.ts'
import { fileNames, listNames } from './send-schema.ts'

/** The parameters of a send. */
export interface SendMembers<T> {
  /** Those of the schema. */
  readonly given: T
  /** Header fields by name, which the form has as `h:<name>`. */
  readonly headers: ReadonlyMap<string, string>
  /** Values that stay with the email, by name: `v:<name>`. */
  readonly variables: ReadonlyMap<string, string>
  /** The files of `attachment`, `inline` and `message`. */
  readonly files: ReadonlyMap<string, readonly FormFile[]>
}

/** Reads the form of a send, a `FormBody`. @throws validation_error that names every wrong parameter. */
export function readMembers<T>(schema: z.ZodType<T>, body: unknown): SendMembers<T> {
  if (!(body instanceof FormBody)) throw validationError([{ field: 'body', message: 'must be a form' }])
  const errors: FieldError[] = []
  const headers = new Map<string, string>()
  const variables = new Map<string, string>()
  const lists = new Map<string, string[]>()
  const files = new Map<string, FormFile[]>()
  const named: Partial<Record<string, Map<string, string>>> = { 'h:': headers, 'v:': variables }
  for (const entry of body.read()) {
    const name = plainName(entry.name)
    const map = named[name.slice(0, 2)]
    if (map) addNamed(map, entry, errors)
    else {
      if ('file' in entry) addTo(files, name, entry.file)
      addTo(lists, name, 'file' in entry ? entry.file.filename : entry.text)
    }
    const isFile = 'file' in entry
    if (!isFile && fileNames.has(name)) errors.push({ field: name, message: 'must be a file' })
    if (isFile && !fileNames.has(name) && name !== 'message')
      errors.push({ field: name, message: 'must be a text, not a file' })
  }
  const texts = [...lists].map(([name, values]): [string, unknown] => {
    if (listNames.has(name)) return [name, values]
    if (values.length > 1)
      errors.push({ field: name, message: `must be given once, not ${values.length} times` })
    return [name, values[0]]
  })
  const checked = checkInput(schema, Object.fromEntries(texts))
  const all = 'errors' in checked ? [...errors, ...checked.errors] : errors
  if ('errors' in checked || all.length > 0) throw validationError(all)
  return { given: checked.value, headers, variables, files }
}

/** Clients in PHP number the values of a list: `attachment[0]`. */
function plainName(name: string): string {
  const [, list = ''] = /^([\w:-]{1,20})\[\d{0,4}\]$/.exec(name) ?? []
  return listNames.has(list) ? list : name
}

function addNamed(map: Map<string, string>, entry: FormEntry, errors: FieldError[]): void {
  const name = entry.name.slice(2)
  if (name === '') errors.push({ field: entry.name, message: 'must have a name after the colon' })
  else if (map.has(name)) errors.push({ field: entry.name, message: 'must be given once' })
  else if ('text' in entry) map.set(name, entry.text)
}

function addTo<T>(map: Map<string, T[]>, name: string, value: T): void {
  const values = map.get(name)
  if (values) values.push(value)
  else map.set(name, [value])
}
