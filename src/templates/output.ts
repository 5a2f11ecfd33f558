import { type FieldError, LocalpostError, validationError } from '../core/errors.ts'
import { listFirst, quote } from '../core/quote.ts'

/** The texts of an email. */
export type TemplateField = 'subject' | 'html' | 'text'

/** How much rendering may take and make. */
export interface RenderLimits {
  /** The largest results, in UTF-8 bytes: of the subject, and of the bodies together. */
  readonly maxBytes: { readonly subject: number; readonly bodies: number }
  /** How many steps all texts together may take: each statement, each turn of a loop, each name of a path. */
  readonly maxSteps: number
}

/** Takes one text from an engine, and counts its size and steps. */
export interface Output {
  add(text: string): void
  /** The same with each character replaced that `escape` changes. */
  addEscaped(text: string, escape: (piece: string) => string): void
  /** To be called at least once for each thing that takes time. */
  step(count?: number): void
  /** To be called where a path leads to nothing. */
  addMissing(path: string): void
}

/** A wrong template. `line` and `column` begin at 1. */
export interface TemplateFault {
  readonly line: number
  readonly column?: number
  readonly message: string
}

/** Thrown by engines where a template is wrong, or does not fit its data. */
export class TemplateFaultError extends Error {
  readonly faults: readonly TemplateFault[]
  constructor(...faults: readonly TemplateFault[]) {
    super(faults[0]?.message)
    this.faults = faults
  }
}

/** How deep the blocks and expressions of a template may be nested; what is deeper would overflow the stack. */
export const maxNesting = 100

/** The `cause` of the error of a template that takes more steps than {@link RenderLimits} allow. */
export const tooManySteps = 'too many steps'

/** The output of all texts of an email, which share their limits. */
export interface TemplateOutputs {
  /** @throws validation_error, message_too_large and invalid_template where a limit is reached. */
  of(field: TemplateField): Output & { text(): string }
  /** The paths that lead to nothing, each once, as they came. */
  missing(): string[]
}

export function createTemplateOutputs({ maxBytes, maxSteps }: RenderLimits): TemplateOutputs {
  const bytesLeft = { ...maxBytes }
  const missing = new Set<string>()
  let stepsLeft = maxSteps
  return {
    of(field) {
      const limit = field === 'subject' ? 'subject' : 'bodies'
      let written = ''
      const add = (text: string): void => {
        bytesLeft[limit] -= Buffer.byteLength(text)
        if (bytesLeft[limit] < 0) throw outputTooLarge(limit, maxBytes[limit])
        written += text
      }
      return {
        add,
        addEscaped(text, escape) {
          // In pieces, so that the limit is noticed before all of it is made longer.
          for (let at = 0; at < text.length; at += pieceLength) add(escape(text.slice(at, at + pieceLength)))
        },
        step(count = 1) {
          stepsLeft -= count
          if (stepsLeft < 0) throw stepsExceeded(field, maxSteps)
        },
        addMissing: (path) => void missing.add(path),
        text: () => written,
      }
    },
    missing: () => [...missing],
  }
}

const pieceLength = 65_536

function outputTooLarge(limit: 'subject' | 'bodies', max: number): LocalpostError {
  if (limit === 'subject') {
    const message = `takes more than ${max} bytes with its template rendered; at most ${max} are taken`
    return validationError([{ field: 'subject', message }])
  }
  const message = `The bodies take more than ${max} bytes with their template rendered; at most ${max} are taken.`
  return new LocalpostError('message_too_large', message)
}

function stepsExceeded(field: TemplateField, max: number): LocalpostError {
  const message = `takes more than ${max} steps to render, as nested loops over long lists do. Loop over fewer items`
  return templateError([{ field, message }], tooManySteps)
}

/** The error of a wrong template: its message is that of the first fault. */
export function templateError(faults: readonly FieldError[], cause?: unknown): LocalpostError {
  const [first] = faults
  const message = `${first?.field}: ${first?.message}.`
  return new LocalpostError('invalid_template', message, { errors: faults, cause })
}

/** The error of data that lacks what a template uses. */
export function missingData(paths: readonly string[]): LocalpostError {
  const names = listFirst(paths, quote).join(', ')
  return new LocalpostError(
    'missing_variable',
    `The data has no value for ${names}, which the template uses.`,
    {
      errors: paths.map((path) => ({
        field: `data.${path}`,
        message: 'is missing: the template uses it, and the data has no value for it',
      })),
    },
  )
}

/** A text, a number or a truth value as text; anything else is empty. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : ''
}
