import { validationError, type FieldError } from '../../core/errors.ts'
import { isRecord } from '../../core/members.ts'
import { templateBytes } from '../../emails/render.ts'
import { checkTemplate, renderTemplate } from '../../templates/engines.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import type { PostmarkTemplateCheck, PostmarkTemplateTest } from './template-schema.ts'

type Section = PostmarkTemplateCheck['Subject']
type Thread = ProviderParts['thread']

/** Names of the texts and of the data in Postmark's API. */
const names = { subject: 'Subject', html: 'HtmlBody', text: 'TextBody', data: 'TestRenderModel' }

/** Says what is wrong with the texts of a template, and what the right ones become. @throws validation_error without any. */
export async function checkTexts(
  { Subject, HtmlBody, TextBody, TestRenderModel }: PostmarkTemplateTest,
  thread: Thread,
): Promise<PostmarkTemplateCheck> {
  const texts = { subject: Subject ?? null, html: HtmlBody ?? null, text: TextBody ?? null }
  if (Object.values(texts).every((text) => text === null))
    throw validationError([
      { field: 'Subject', message: 'is missing: give at least one of Subject, HtmlBody and TextBody' },
    ])
  const faults = await checkTemplate('mustachio', texts, thread)
  const wrong = new Set(faults.map(({ field }) => field))
  const right = Object.fromEntries(Object.entries(texts).filter(([field]) => !wrong.has(field)))
  const data = TestRenderModel ?? {}
  const request = { engine: 'mustachio', texts: right, data, maxBytes: templateBytes } as const
  const rendered = await withNames(renderTemplate(request, thread), names)
  const sectionOf = (field: 'subject' | 'html' | 'text'): Section => {
    if (texts[field] === null) return null
    return {
      ContentIsValid: !wrong.has(field),
      ValidationErrors: faults.filter((fault) => fault.field === field).map(toFault),
      RenderedContent: wrong.has(field) ? null : rendered[field],
    }
  }
  return {
    AllContentIsValid: faults.length === 0,
    Subject: sectionOf('subject'),
    HtmlBody: sectionOf('html'),
    TextBody: sectionOf('text'),
    SuggestedTemplateModel: suggestModel(data, rendered.missing),
  }
}

function toFault({ message }: FieldError): NonNullable<Section>['ValidationErrors'][number] {
  const [, line, column] = /^line (\d{1,9})(?:, column (\d{1,9}))?/.exec(message) ?? []
  const numberOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text))
  return { Message: message, Line: numberOf(line), CharacterPosition: numberOf(column) }
}

/** The data, with a value for each path that it lacks. */
function suggestModel(
  data: Readonly<Record<string, unknown>>,
  missing: readonly string[],
): Record<string, unknown> {
  // Each object is copied once, however many paths lead into it.
  const copies = new Set<object>()
  const model = withoutPrototype(data)
  for (const path of missing) {
    const steps = path.split('.')
    if (!steps.every((name) => /^\w+$/.test(name))) continue
    const last = steps.pop() ?? ''
    let at: Record<string, unknown> | null = model
    for (const name of steps) at = at && childOf(at, name, copies)
    if (at && !Object.hasOwn(at, last)) at[last] = `${last}_Value`
  }
  return model
}

/** The object below a name, which is made where there is nothing; null where there is something else. */
function childOf(
  parent: Record<string, unknown>,
  name: string,
  copies: Set<object>,
): Record<string, unknown> | null {
  const known = Object.hasOwn(parent, name) ? parent[name] : {}
  if (!isRecord(known)) return null
  if (copies.has(known)) return known
  const child = withoutPrototype(known)
  copies.add(child)
  parent[name] = child
  return child
}

/** A copy without a prototype, so that `__proto__` is a name like others. */
function withoutPrototype(given: object): Record<string, unknown> {
  return Object.assign(Object.create(null) as Record<string, unknown>, given)
}
