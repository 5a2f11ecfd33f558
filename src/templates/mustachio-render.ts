import { quote } from '../core/quote.ts'
import { isRecord } from '../core/members.ts'
import type { MustachioNode, MustachioPath } from './mustachio.ts'
import { plainText, TemplateFaultError, type Output } from './output.ts'
import { escapedHtml } from '../core/text.ts'

/**
 * Renders a template.
 *
 * @param how  Whether `{{name}}` is escaped.
 * @throws TemplateFaultError where the data has not the form that the template needs; what the output throws.
 */
export function renderMustachio(
  nodes: readonly MustachioNode[],
  data: unknown,
  how: { output: Output; isHtml: boolean },
): void {
  renderAll(nodes, { value: data, around: null }, { ...how, hasMembers: new WeakMap() })
}

/** A value with what is around it. */
interface Context {
  readonly value: unknown
  readonly around: Context | null
}

interface Rendering {
  readonly output: Output
  readonly isHtml: boolean
  /** Whether an object has members. Counting those of a large one takes long, and a loop may ask again and again. */
  readonly hasMembers: WeakMap<object, boolean>
}

function renderAll(nodes: readonly MustachioNode[], context: Context, rendering: Rendering): void {
  for (const node of nodes) {
    rendering.output.step()
    if (node.kind === 'text') rendering.output.add(node.text)
    else {
      const found = find(node.path, context, rendering.output)
      if (node.kind === 'value') renderValue(node, found.value, rendering)
      else if (exists(found.value, rendering) !== (node.kind === 'inverted'))
        renderBlock(node, found, rendering)
    }
  }
}

function renderValue(
  { path, isEscaped }: Extract<MustachioNode, { kind: 'value' }>,
  value: unknown,
  { output, isHtml }: Rendering,
): void {
  if (value === undefined) return output.addMissing(path.written)
  if (typeof value === 'object' && value !== null)
    throw faultAt(path, 'is a list or an object, which is not a text: name a member of it')
  const text = textOf(value)
  return isEscaped && isHtml ? output.addEscaped(text, escapeHtml) : output.add(text)
}

function renderBlock(
  { kind, path, body }: Exclude<MustachioNode, { kind: 'text' | 'value' }>,
  context: Context,
  rendering: Rendering,
): void {
  if (kind !== 'each') return renderAll(body, context, rendering)
  if (!Array.isArray(context.value))
    throw faultAt(path, 'is used as a list, and the data has none there: give an array')
  for (const item of context.value) {
    rendering.output.step()
    renderAll(body, { value: item, around: context }, rendering)
  }
}

function exists(value: unknown, { hasMembers }: Rendering): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return false
  if (typeof value !== 'object') return true
  if (Array.isArray(value)) return value.length > 0
  const isFilled = hasMembers.get(value) ?? Object.keys(value).length > 0
  hasMembers.set(value, isFilled)
  return isFilled
}

function faultAt({ place, written }: MustachioPath, message: string): TemplateFaultError {
  return new TemplateFaultError({ ...place(), message: `${quote(written)} ${message}` })
}

function find({ names }: MustachioPath, context: Context, output: Output): Context {
  output.step(names.length)
  return names.reduce(
    // Above the whole of the data is nothing else.
    (found, name) =>
      name === '..' ? (found.around ?? found) : { value: memberOf(found.value, name), around: found },
    context,
  )
}

function memberOf(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

// As .NET writes them.
function textOf(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  return plainText(value)
}

const escapeHtml = (text: string): string => escapedHtml(text, /[&<>"']/g)
