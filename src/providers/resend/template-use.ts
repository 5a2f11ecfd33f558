import { type FieldError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { SendingRequest } from '../../sending/types.ts'
import type { Template } from '../../templates/types.ts'
import { wrongMembers } from './member-errors.ts'
import type { ResendTemplates } from './stored-templates.ts'
import { detailsOf, type ResendTemplateDetails } from './template-details.ts'
import { reservedNames } from './template-schema.ts'

/**
 * Completes requests that use a template: by its sender and subject, and by the fallback values of its variables. The template
 * may be named by its alias.
 *
 * @returns A function for the requests of one call, which reads each template once. It throws validation_error for variables of
 *   another type, and for a template that was never published.
 */
export function createTemplateCompletion(
  templates: Pick<ResendTemplates, 'find'>,
): (request: SendingRequest) => Promise<SendingRequest> {
  const read = new Map<string, Promise<Template | null>>()
  return async (request) => {
    const { template_id: identifier } = request
    if (identifier === undefined) return request
    const reading = read.get(identifier) ?? templates.find(identifier)
    read.set(identifier, reading)
    const template = await reading
    // The core has the error for it.
    if (!template) return request
    const details = detailsOf(template)
    if (details.published === null) {
      const message = `${quote(identifier)} is a draft: publish it first, with POST /templates/{id}/publish`
      throw validationError([{ field: 'template_id', message }])
    }
    const { from = details.from ?? undefined, reply_to = details.reply_to ?? undefined } = request
    if (from === undefined)
      throw wrongMembers([
        { field: 'from', message: 'is missing, and the template has none', isMissing: true },
      ])
    return { ...request, template_id: template.id, from, reply_to, data: dataOf(request.data ?? {}, details) }
  }
}

function dataOf(
  given: Readonly<Record<string, unknown>>,
  { variables }: ResendTemplateDetails,
): Record<string, unknown> {
  const errors: FieldError[] = []
  for (const name of reservedNames) {
    if (Object.hasOwn(given, name))
      errors.push({ field: `data.${name}`, message: 'is a reserved name: leave it out' })
  }
  const data = { ...given }
  for (const { key, type, fallback_value: fallback } of variables) {
    const value = Object.hasOwn(given, key) ? given[key] : undefined
    if (value === undefined) {
      if (fallback !== undefined && fallback !== null) data[key] = fallback
    } else if (typeof value !== type)
      errors.push({ field: `data.${key}`, message: `must be a ${type}, not ${quote(value)}` })
  }
  if (errors.length > 0) throw validationError(errors)
  return data
}
