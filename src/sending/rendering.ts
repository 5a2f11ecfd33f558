import { validationError, type FieldError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { render, resolveVariables, templateBytes, type Rendered } from '../emails/render.ts'
import { renderTexts } from '../templates/engines.ts'
import { plainText } from '../templates/output.ts'
import type { TemplateContent } from '../templates/template.ts'
import type { SendingRequest } from './types.ts'

/**
 * Renders the texts of a request by the engine of its template, or by the one that it gives for its own texts.
 *
 * @param how  `maxSteps` as for `renderTexts`. `escapeHtml` is for placeholders.
 * @throws As `render` of `emails/render.ts`, and as `renderTexts`.
 */
export async function renderRequest(
  texts: Readonly<Record<'subject' | 'html' | 'text', string>>,
  request: Pick<Partial<SendingRequest>, 'variables' | 'data' | 'rendering'>,
  template: Pick<TemplateContent, 'engine'> | null,
  how: { escapeHtml: boolean; maxSteps?: number | undefined },
): Promise<Rendered> {
  const { variables = {}, data, rendering = {} } = request
  const engine = template?.engine ?? rendering.engine ?? 'placeholders'
  if (engine === 'placeholders') return render(texts, data ? toVariables(data) : variables, how.escapeHtml)
  const given = data ?? Object.fromEntries(resolveVariables(variables))
  const rendered = await renderTexts(
    { engine, texts, data: given, options: rendering, maxBytes: templateBytes },
    how.maxSteps,
  )
  const { missing, ...others } = rendered
  return { ...others, warnings: missing.map((path) => `{{${path}}} has no data and becomes empty`) }
}

/** Data for placeholders, which are texts. @throws validation_error for lists and objects. */
export function toVariables(data: Readonly<Record<string, unknown>>): Record<string, string> {
  const errors: FieldError[] = []
  const variables = Object.entries(data).map(([name, value]): [string, string] => {
    if (typeof value === 'object' && value !== null) {
      const message = `is ${quote(value)}: a template with placeholders takes texts, numbers and truth values. Store it with the engine handlebars or mustachio`
      errors.push({ field: `data.${name}`, message })
    }
    return [name, plainText(value)]
  })
  if (errors.length > 0) throw validationError(errors)
  return Object.fromEntries(variables)
}
