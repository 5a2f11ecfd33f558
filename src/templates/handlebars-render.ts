import type {
  Block,
  Call,
  Expression,
  Literal,
  Path,
  Program,
} from 'handlebars/dist/cjs/handlebars/compiler/base.js'
import { quote } from '../core/errors.ts'
import { isEmpty, ownMember, type Helpers } from './handlebars-helpers.ts'
import { helperName, isScoped, partsOf, written } from './handlebars-names.ts'
import { plainText, TemplateFaultError, type Output } from './output.ts'

/** What the expressions of a block can reach. */
interface Scope {
  readonly contexts: Contexts
  readonly loop: Loop | null
  readonly values: Values | null
}

/** A context with those around it, which `../` leads to. */
interface Contexts {
  readonly value: unknown
  readonly outer: Contexts | null
}

/** One turn of a loop: what `@index` and the like mean. */
interface Loop {
  readonly members: Readonly<Record<string, unknown>>
  readonly outer: Loop | null
}

/** The names that blocks give to values: `{{#each list as |item|}}`. */
interface Values {
  readonly own: readonly string[]
  readonly values: readonly unknown[]
  readonly outer: Values | null
}

/**
 * Renders a template that was read by `parseHandlebars`, as Handlebars 4.7 does.
 *
 * @param how  The helpers that it was read with, and whether `{{name}}` is escaped; `{{{name}}}` never is.
 * @throws TemplateFaultError for what only shows with the data; what the output throws.
 */
export function renderHandlebars(
  program: Program,
  data: unknown,
  { output, helpers, isHtml }: { output: Output; helpers: Helpers; isHtml: boolean },
): void {
  function renderProgram({ body }: Program, scope: Scope): void {
    for (const statement of body) {
      output.step()
      if (statement.type === 'ContentStatement') output.add(statement.value)
      else if (statement.type === 'BlockStatement') renderBlock(statement, scope)
      else if (statement.type === 'MustacheStatement') {
        const value = valueOfCall(statement, scope)
        if (value === undefined && !helpers.values.has(helperName(statement.path, scope.values) ?? ''))
          output.addMissing(written(statement.path))
        write(value, statement.escaped && isHtml)
      }
    }
  }

  function write(value: unknown, isEscaped: boolean): void {
    if (value === null || value === undefined) return
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) {
        output.step()
        if (i > 0) output.add(',')
        write(item, isEscaped)
      }
      return
    }
    const text = typeof value === 'object' ? '[object Object]' : plainText(value)
    if (isEscaped) output.addEscaped(text, escapeHtml)
    else output.add(text)
  }

  function renderBlock(block: Block, scope: Scope): void {
    const name = helperName(block.path, scope.values)
    const helper = name === null ? undefined : helpers.blocks.get(name)
    if (!helper) return renderSection(block, valueOfCall(block, scope), scope)
    const [params, hash] = paramsOf(block, scope)
    if ('holds' in helper) return renderPart(block, helper.holds(params, hash), scope)
    const [value] = params
    if (helper.context === 'each') return renderEach(block, value, scope)
    if (isEmpty(value)) return renderPart(block, false, scope)
    return renderInside(block, value, scope, scope.loop, [value])
  }

  /** A block by the name of a value: `{{#person}}`. */
  function renderSection(block: Block, value: unknown, scope: Scope): void {
    if (value === true) return renderPart(block, true, scope)
    if (value === false || value === null || value === undefined) return renderPart(block, false, scope)
    if (!Array.isArray(value)) return renderInside(block, value, scope, scope.loop, [])
    if (value.length === 0) return renderPart(block, false, scope)
    return renderEach(block, value, scope)
  }

  function renderPart({ program, inverse }: Block, holds: boolean, scope: Scope): void {
    const part = holds ? program : inverse
    if (part) renderProgram(part, scope)
  }

  function renderInside(
    { program }: Block,
    value: unknown,
    { contexts, values }: Scope,
    loop: Loop | null,
    given: readonly unknown[],
  ): void {
    if (!program) return
    const { blockParams: own } = program
    renderProgram(program, {
      // A block that keeps the context does not count for `../`.
      contexts: value === contexts.value ? contexts : { value, outer: contexts },
      loop,
      values: own ? { own, values: given, outer: values } : values,
    })
  }

  function renderEach(block: Block, value: unknown, scope: Scope): void {
    const list: readonly unknown[] | null = Array.isArray(value) ? value : null
    const keys = list ?? (typeof value === 'object' && value !== null ? Object.keys(value) : [])
    if (keys.length === 0) return renderPart(block, false, scope)
    for (const [index, name] of keys.entries()) {
      output.step()
      const key = list ? index : name
      const item = list ? name : ownMember(value, name)
      const members = { key, index, first: index === 0, last: index === keys.length - 1 }
      renderInside(block, item, scope, { members, outer: scope.loop }, [item, key])
    }
  }

  function paramsOf(call: Call, scope: Scope): [unknown[], Map<string, unknown>] {
    const pairs = call.hash?.pairs ?? []
    output.step(call.params.length + pairs.length)
    const params = call.params.map((param) => valueOf(param, scope))
    // Helpers compare texts.
    for (const param of params) if (typeof param === 'string') output.step(Math.ceil(param.length / 1000))
    return [params, new Map(pairs.map(({ key, value }) => [key, valueOf(value, scope)]))]
  }

  function valueOf(expression: Expression, scope: Scope): unknown {
    if (expression.type === 'SubExpression') return valueOfCall(expression, scope)
    if (expression.type === 'PathExpression') return valueAt(expression, scope)
    return expression.type === 'NullLiteral' ? null : expression.value
  }

  function valueOfCall(call: Call, scope: Scope): unknown {
    const name = helperName(call.path, scope.values)
    const helper = name === null ? undefined : helpers.values.get(name)
    if (!helper) return valueAt(call.path, scope)
    const [params] = paramsOf(call, scope)
    try {
      return helper.value(params)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const { line, column } = call.loc.start
      throw new TemplateFaultError({ line, column: column + 1, message: `${quote(name)} ${error.message}` })
    }
  }

  function valueAt(path: Path | Literal, scope: Scope): unknown {
    const parts = partsOf(path)
    output.step(parts.length)
    const [first = '', ...rest] = parts
    if (path.type !== 'PathExpression') return ownMember(scope.contexts.value, first)
    if (path.data) {
      if (first === 'root') return membersOf(data, rest)
      let { loop } = scope
      for (let up = path.depth; up > 0 && loop; up--) loop = loop.outer
      return membersOf(ownMember(loop?.members, first), rest)
    }
    if (path.depth === 0 && !isScoped(path)) {
      for (let at = scope.values; at; at = at.outer) {
        const index = at.own.indexOf(first)
        if (index !== -1) return membersOf(at.values[index], rest)
      }
    }
    let contexts: Contexts | null = scope.contexts
    for (let up = path.depth; up > 0 && contexts; up--) contexts = contexts.outer
    return membersOf(contexts?.value, parts)
  }

  renderProgram(program, { contexts: { value: data, outer: null }, loop: null, values: null })
}

function membersOf(value: unknown, names: readonly string[]): unknown {
  let found = value
  for (const name of names) found = ownMember(found, name)
  return found
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '`': '&#x60;',
  '=': '&#x3D;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"'`=]/g, (one) => entities[one] ?? one)
