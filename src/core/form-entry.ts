import { validationError } from './errors.ts'
import { quote } from './quote.ts'

/** An entry of a form: a text, or a file. */
export type FormEntry =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: FormFile }

/** A file of a form. */
export interface FormFile {
  readonly filename: string
  /** Undefined if the form does not say it. */
  readonly type: string | undefined
  readonly content: Buffer
}

/** How many entries a form may have. */
export const maxFormEntries = 10_000

const maxName = 1000

/** The error for a form that is malformed. */
export const formFault = (message: string): Error => validationError([{ field: 'body', message }])

/** The error for a form with more entries than {@link maxFormEntries}. */
export const tooManyEntries = (): Error => formFault(`must have at most ${maxFormEntries} entries`)

/** The name of an entry, as it is. @throws validation_error if it is empty, too long or has control characters. */
export function checkName(name: string): string {
  if (name !== '' && name.length <= maxName && !/[\x00-\x1f\x7f]/.test(name)) return name
  const wanted = `1 to ${maxName} characters, none of them control characters`
  throw formFault(`has the name ${quote(name)}: names have ${wanted}`)
}
