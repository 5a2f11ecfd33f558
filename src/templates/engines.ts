/**
 * The engines of templates. `renderTemplate` renders the texts of an email with data, `checkTemplate` says what is wrong with
 * them; both in the thread where that takes long. Both languages are bounded in size, depth and steps, and read nothing but the
 * members of the data itself. `placeholders` is no engine here: `emails/render.ts` fills those in.
 */
import { validationError, type FieldError } from '../core/errors.ts'
import { longBytes, type JobThread } from '../core/job-thread.ts'
import { isDeeperThan, maxDepth } from '../core/json-depth.ts'
import {
  createTemplateOutputs,
  missingData,
  templateError,
  TemplateFaultError,
  tooManySteps,
  type Output,
  type RenderLimits,
  type TemplateField,
} from './output.ts'
import type { HelperSet } from './handlebars-helpers.ts'
import type { TemplateEngine } from './types.ts'

/** An engine with a language of its own. */
export type LanguageEngine = Exclude<TemplateEngine, 'placeholders'>

/** How templates are rendered. */
export interface RenderOptions {
  /** What a name without data becomes: nothing, or `missing_variable`, which names them all. Default: `empty`. */
  readonly missing?: 'empty' | 'error' | undefined
  /** Where `{{name}}` is escaped for HTML: in `html`, in all texts, or nowhere. Default: `html`. */
  readonly escape?: 'html' | 'all' | 'none' | undefined
  /** Which helpers of Handlebars there are. Default: `extended`. */
  readonly helpers?: HelperSet | undefined
}

/** The texts of a template. Absent and empty ones stay empty. */
export type TemplateTexts = Readonly<Partial<Record<TemplateField, string | null>>>

/** What is rendered. */
export interface RenderRequest {
  readonly engine: LanguageEngine
  readonly texts: TemplateTexts
  /** Any JSON, at most 100 levels deep. */
  readonly data: unknown
  readonly options?: RenderOptions | undefined
  /** The largest results in UTF-8 bytes: `templateBytes` of `emails/render.ts`. */
  readonly maxBytes: RenderLimits['maxBytes']
}

/** The texts, and the paths that led to nothing. */
export type RenderedTemplate = Record<TemplateField, string> & { missing: string[] }

const fields = ['subject', 'html', 'text'] as const

/** How many steps rendering may take in all; that is a second at most. */
const maxSteps = 1_000_000
/** How many of them on the event loop: some milliseconds. */
export const quickSteps = 10_000
/** The largest template that is read on the event loop, in characters; that takes some milliseconds. */
const quickChars = 8192

/** The rendering and the check of templates as work of the thread. */
export const templateJobs: {
  readonly 'render template': typeof renderTexts
  readonly 'check template': typeof findFaults
} = { 'render template': renderTexts, 'check template': findFaults }

type Thread = JobThread<typeof templateJobs>

/**
 * Renders the texts of a template that need not be stored.
 *
 * @throws invalid_template, with an entry for each fault: `field` is `subject`, `html` or `text`, and `message` begins with the
 *   place. missing_variable with `missing: 'error'`: `field` is `data.<path>`. validation_error and message_too_large for
 *   results that are too large. service_unavailable.
 */
export async function renderTemplate(request: RenderRequest, thread: Thread): Promise<RenderedTemplate> {
  if (isQuick(request.texts)) {
    try {
      return await renderTexts(request, quickSteps)
    } catch (error) {
      if (!needsThread(error)) throw error
    }
  }
  return thread.run('render template', [request])
}

/** Says all that is wrong with the texts of a template; an empty list if it is right. @throws service_unavailable */
export async function checkTemplate(
  engine: LanguageEngine,
  texts: TemplateTexts,
  thread: Thread,
  helpers: HelperSet = 'extended',
): Promise<FieldError[]> {
  // The size decides the thread.
  const size = isQuick(texts) ? 0 : longBytes + 1
  return thread.run('check template', [engine, texts, helpers], { size })
}

/** Whether a template is read on the event loop. */
export function isQuick(texts: TemplateTexts): boolean {
  return fields.reduce((sum, field) => sum + (texts[field]?.length ?? 0), 0) <= quickChars
}

/** Whether rendering on the event loop took so long that the thread has to do it. */
export function needsThread(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'cause') === tooManySteps
}

/**
 * The same as {@link renderTemplate} in this thread, for what runs in the thread of jobs itself.
 *
 * @param steps  How many it may take. Default: as many as a template may take at all.
 */
export async function renderTexts(
  { engine, texts, data, options = {}, maxBytes }: RenderRequest,
  steps: number = maxSteps,
): Promise<RenderedTemplate> {
  const { missing = 'empty', escape = 'html', helpers = 'extended' } = options
  if (isDeeperThan(maxDepth, data))
    throw validationError([{ field: 'data', message: `must not be nested deeper than ${maxDepth} levels` }])
  const outputs = createTemplateOutputs({ maxBytes, maxSteps: steps })
  const rendered = { subject: '', html: '', text: '' }
  const renderText = await languages[engine]()
  for (const field of fields) {
    const source = texts[field] ?? ''
    if (source === '') continue
    const output = outputs.of(field)
    const isHtml = escape === 'all' || (escape === 'html' && field === 'html')
    const faults = faultsOf(field, () => renderText(source, { output, isHtml, helpers, data }))
    if (faults.length > 0) throw templateError(faults)
    rendered[field] = output.text()
  }
  const names = outputs.missing()
  if (missing === 'error' && names.length > 0) throw missingData(names)
  return { ...rendered, missing: names }
}

async function findFaults(
  engine: LanguageEngine,
  texts: TemplateTexts,
  helpers: HelperSet,
): Promise<FieldError[]> {
  const renderText = await languages[engine]()
  return fields.flatMap((field) => faultsOf(field, () => renderText(texts[field] ?? '', { helpers })))
}

/** What is wrong with the text of a field, each with its place. */
function faultsOf(field: TemplateField, work: () => void): FieldError[] {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof TemplateFaultError)) throw error
    return error.faults.map(({ line, column, message }) => {
      const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`
      return { field, message: `${place}: ${message}` }
    })
  }
}

/** Reads a text, and renders it where there is an output. */
type RenderText = (
  source: string,
  how: { helpers: HelperSet } & ({ output?: never } | { output: Output; isHtml: boolean; data: unknown }),
) => void

// Loaded on first use.
const languages: Readonly<Record<LanguageEngine, () => Promise<RenderText>>> = {
  async handlebars() {
    const [{ parseHandlebars }, { renderHandlebars }, { helperSets }] = await Promise.all([
      import('./handlebars.ts'),
      import('./handlebars-render.ts'),
      import('./handlebars-helpers.ts'),
    ])
    return (source, how) => {
      const helpers = helperSets[how.helpers]
      const program = parseHandlebars(source, helpers)
      if (how.output) renderHandlebars(program, how.data, { ...how, helpers })
    }
  },
  async mustachio() {
    const [{ parseMustachio }, { renderMustachio }] = await Promise.all([
      import('./mustachio.ts'),
      import('./mustachio-render.ts'),
    ])
    return (source, how) => {
      const nodes = parseMustachio(source)
      if (how.output) renderMustachio(nodes, how.data, how)
    }
  },
}
