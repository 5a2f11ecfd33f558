import { quote, validationError } from '../../core/errors.ts'

/**
 * Reads the data for a template.
 *
 * @param json  A JSON object of texts, numbers and truth values.
 * @throws validation_error for anything else.
 */
export function readTemplateData(json: string): Record<string, string> {
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    throw fault(`is not JSON: ${quote(json)}`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw fault(`must be a JSON object, not ${quote(given)}`)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        return [name, String(value)]
      throw fault(
        `has ${quote(name)}, which is no text and no number: templates are filled in by {{${name}}} alone`,
      )
    }),
  )
}

const fault = (message: string): Error => validationError([{ field: 'TemplateData', message }])

/** What a template uses of Handlebars that Localpost has not; null if it uses nothing of it. */
export function templateFault(text: string): string | null {
  const [found] = /\{\{[~#^/>!&{]|\{\{else\b/.exec(text) ?? []
  if (found === undefined) return null
  return `uses ${quote(found)}: Localpost fills in {{name}} alone, without blocks, partials and unescaped values`
}
