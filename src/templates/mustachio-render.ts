import { quote } from '../core/errors.ts'
import { isRecord } from '../core/members.ts'
import type { MustachioNode, MustachioPath } from './mustachio.ts'
import { plainText, TemplateFaultError, type Output } from './output.ts'

/** A value with what is around it. */
interface Context {
  readonly value: unknown
  readonly around: Context | null
}

/**
 * Renders a template.
 *
 * @param how  Whether `{{name}}` is escaped.
 * @throws TemplateFaultError where the data has not the form that the template needs; what the output throws.
 */
export function renderMustachio(
  nodes: readonly MustachioNode[],
  data: unknown,
  { output, isHtml }: { output: Output; isHtml: boolean },
): void {
  const fail = ({ place }: MustachioPath, message: string): never => {
    throw new TemplateFaultError({ ...place(), message })
  }
  // Counting the members of a large object takes long, and a loop may ask again and again.
  const known = new WeakMap<object, boolean>()
  function exists(value: unknown): boolean {
    if (value === undefined || value === null || value === false || value === 0 || value === '') return false
    if (typeof value !== 'object') return true
    if (Array.isArray(value)) return value.length > 0
    const answer = known.get(value) ?? Object.keys(value).length > 0
    known.set(value, answer)
    return answer
  }
  function renderAll(all: readonly MustachioNode[], context: Context): void {
    for (const node of all) {
      output.step()
      if (node.kind === 'text') output.add(node.text)
      else renderAt(node, find(node.path, context, output))
    }
  }
  function renderAt(node: Exclude<MustachioNode, { kind: 'text' }>, found: Context): void {
    const { value } = found
    if (node.kind === 'value') {
      if (value === undefined) return output.addMissing(node.path.written)
      if (typeof value === 'object' && value !== null)
        return fail(
          node.path,
          `${quote(node.path.written)} is a list or an object, which is not a text: name a member of it`,
        )
      const text = textOf(value)
      return node.isEscaped && isHtml ? output.addEscaped(text, escapeHtml) : output.add(text)
    }
    if (node.kind === 'inverted') return exists(value) ? undefined : renderAll(node.body, found)
    if (!exists(value)) return undefined
    if (node.kind === 'section') return renderAll(node.body, found)
    if (!Array.isArray(value))
      return fail(
        node.path,
        `${quote(node.path.written)} is used as a list, and the data has none there: give an array`,
      )
    for (const item of value) {
      output.step()
      renderAll(node.body, { value: item, around: found })
    }
    return undefined
  }
  renderAll(nodes, { value: data, around: null })
}

function find({ names }: MustachioPath, context: Context, output: Output): Context {
  let found = context
  output.step(names.length)
  for (const name of names) {
    // Above the whole of the data is nothing else.
    if (name === '..') found = found.around ?? found
    else found = { value: memberOf(found.value, name), around: found }
  }
  return found
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

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] ?? one)
