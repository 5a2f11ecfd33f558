import { quote, validationError } from '../../core/errors.ts'
import { readObject } from './json-parameter.ts'

/** The subject of a template, which is in `headers`. @throws validation_error */
export function subjectIn(headers: string | undefined): string | null {
  if (headers === undefined) return null
  let subject: string | null = null
  for (const [name, value] of readObject('headers', headers)) {
    if (name.toLowerCase() !== 'subject' || typeof value !== 'string')
      throw validationError([
        {
          field: 'headers',
          message: `must have a text as Subject alone, not ${quote(name)}: give it with the email`,
        },
      ])
    subject = value
  }
  return subject
}
