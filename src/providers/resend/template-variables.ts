import { type FieldError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { TemplateInput } from '../../templates/types.ts'
import type { ResendTemplateDetails } from './template-details.ts'
import { reservedNames } from './template-schema.ts'

const variable = /\{\{\{\s{0,20}([A-Za-z_][A-Za-z0-9_]{0,49})\s{0,20}\}\}\}/y

/** Checks that the texts have nothing in braces but variables that are declared. @throws validation_error */
export function checkVariables(input: TemplateInput, { variables }: ResendTemplateDetails): void {
  const errors: FieldError[] = []
  const declared = new Set([...variables.map(({ key }) => key), ...reservedNames])
  if (declared.size < variables.length + reservedNames.length)
    errors.push({ field: 'variables', message: 'must not have the same key twice' })
  for (const field of ['subject', 'html', 'text'] as const) {
    const source = input[field] ?? ''
    let at = source.indexOf('{{')
    while (at !== -1 && errors.length < maxErrors) {
      variable.lastIndex = at
      const [whole, name] = variable.exec(source) ?? []
      if (whole === undefined || name === undefined || source[at - 1] === '\\') {
        const near = quote(source.slice(at, at + 30))
        errors.push({
          field,
          message: `has ${near}: variables are written {{{NAME}}}, and there are no other tags`,
        })
        break
      }
      if (!declared.has(name))
        errors.push({
          field,
          message: `Variable '${name}' is used in the template but not defined in the variables list`,
        })
      at = source.indexOf('{{', at + whole.length)
    }
  }
  if (errors.length > 0) throw validationError(errors)
}

const maxErrors = 50
