import type {
  Block,
  Call,
  Expression,
  Literal,
  Path,
  Program,
} from 'handlebars/dist/cjs/handlebars/compiler/base.js'
import { escapeExpression, isEmpty } from 'handlebars/dist/cjs/handlebars/utils.js'
import { quote } from '../core/quote.ts'
import { ownMember, type Helpers } from './handlebars-helpers.ts'
import { helperName, isScoped, type Nested, partsOf, written } from './handlebars-names.ts'
import { plainText, TemplateFaultError, type Output } from './output.ts'

/**
 * Renders a template that was read by `parseHandlebars`, as Handlebars 4.7 does.
 *
 * @param how  The helpers that it was read with, and whether `{{name}}` is escaped; `{{{name}}}` never is.
 * @throws TemplateFaultError for what only shows with the data; what the output throws.
 */
export function renderHandlebars(
  program: Program,
  data: unknown,
  how: { output: Output; helpers: Helpers; isHtml: boolean },
): void {
  renderProgram(program, { ...how, data, context: { value: data, outer: null }, loop: null, named: null })
}

/** What the expressions of a block can reach, and what is the same in all blocks. */
interface Scope {
  readonly output: Output
  readonly helpers: Helpers
  readonly isHtml: boolean
  /** What `@root` is. */
  readonly data: unknown
  /** What names are looked up in; `../` leads to the outer ones. */
  readonly context: Nested<unknown>
  /** What `@index` and the like mean in this turn of a loop. */
  readonly loop: Nested<Readonly<Record<string, unknown>>> | null
  /** The values that blocks give names to: `{{#each list as |item|}}`. */
  readonly named: Nested<ReadonlyMap<string, unknown>> | null
}

function renderProgram({ body }: Program, scope: Scope): void {
  const { output, helpers, isHtml, named } = scope
  for (const statement of body) {
    output.step()
    if (statement.type === 'ContentStatement') output.add(statement.value)
    else if (statement.type === 'BlockStatement') renderBlock(statement, scope)
    else if (statement.type === 'MustacheStatement') {
      const value = valueOfCall(statement, scope)
      if (value === undefined && !helpers.values.has(helperName(statement.path, named) ?? ''))
        output.addMissing(written(statement.path))
      write(value, statement.escaped && isHtml, output)
    }
  }
}

function write(value: unknown, isEscaped: boolean, output: Output): void {
  if (value === null || value === undefined) return
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      output.step()
      if (i > 0) output.add(',')
      write(item, isEscaped, output)
    }
    return
  }
  const text = typeof value === 'object' ? '[object Object]' : plainText(value)
  if (isEscaped) output.addEscaped(text, escapeExpression)
  else output.add(text)
}

function renderBlock(block: Block, scope: Scope): void {
  const helper = scope.helpers.blocks.get(helperName(block.path, scope.named) ?? '')
  if (!helper) return renderSection(block, valueOfCall(block, scope), scope)
  const { params, hash } = argumentsOf(block, scope)
  if ('holds' in helper) return renderPart(block, helper.holds(params, hash), scope)
  const [value] = params
  if (helper.context === 'each') return renderEach(block, value, scope)
  if (isEmpty(value)) return renderPart(block, false, scope)
  return renderInside(block, value, [value], scope)
}

/** A block by the name of a value: `{{#person}}`. */
function renderSection(block: Block, value: unknown, scope: Scope): void {
  if (Array.isArray(value)) return renderEach(block, value, scope)
  if (value === true) return renderPart(block, true, scope)
  if (value === false || value === null || value === undefined) return renderPart(block, false, scope)
  return renderInside(block, value, [], scope)
}

/** Renders a block in the context that it is in: its own part, or that of its `{{else}}`. */
function renderPart({ program, inverse }: Block, holds: boolean, scope: Scope): void {
  const part = holds ? program : inverse
  if (part) renderProgram(part, scope)
}

/** Renders a block with a value as its context. @param given  What its names mean, in their order. */
function renderInside({ program }: Block, value: unknown, given: readonly unknown[], scope: Scope): void {
  if (!program) return
  const { context, named } = scope
  const { blockParams } = program
  // Backwards, because of two equal names the first one counts.
  const own = blockParams && new Map(blockParams.map((name, at) => [name, given[at]] as const).reverse())
  renderProgram(program, {
    ...scope,
    // A block that keeps the context does not count for `../`.
    context: value === context.value ? context : { value, outer: context },
    named: own ? { value: own, outer: named } : named,
  })
}

function renderEach(block: Block, value: unknown, scope: Scope): void {
  const list: readonly unknown[] | null = Array.isArray(value) ? value : null
  const keys = list ?? (typeof value === 'object' && value !== null ? Object.keys(value) : [])
  if (keys.length === 0) return renderPart(block, false, scope)
  for (const [index, name] of keys.entries()) {
    scope.output.step()
    const key = list ? index : name
    const item = list ? name : ownMember(value, name)
    const turn = { key, index, first: index === 0, last: index === keys.length - 1 }
    renderInside(block, item, [item, key], { ...scope, loop: { value: turn, outer: scope.loop } })
  }
}

function argumentsOf(call: Call, scope: Scope): { params: unknown[]; hash: Map<string, unknown> } {
  const { output } = scope
  const pairs = call.hash?.pairs ?? []
  output.step(call.params.length + pairs.length)
  const params = call.params.map((param) => valueOf(param, scope))
  // Helpers compare texts, which takes time in proportion to their length.
  for (const param of params) if (typeof param === 'string') output.step(Math.ceil(param.length / 1000))
  return { params, hash: new Map(pairs.map(({ key, value }) => [key, valueOf(value, scope)])) }
}

function valueOf(expression: Expression, scope: Scope): unknown {
  if (expression.type === 'SubExpression') return valueOfCall(expression, scope)
  if (expression.type === 'PathExpression') return valueAt(expression, scope)
  return expression.type === 'NullLiteral' ? null : expression.value
}

function valueOfCall(call: Call, scope: Scope): unknown {
  const name = helperName(call.path, scope.named)
  const helper = scope.helpers.values.get(name ?? '')
  if (!helper) return valueAt(call.path, scope)
  const { params } = argumentsOf(call, scope)
  try {
    return helper.value(params)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const { line, column } = call.loc.start
    throw new TemplateFaultError({ line, column: column + 1, message: `${quote(name)} ${error.message}` })
  }
}

function valueAt(path: Path | Literal, { output, data, context, loop, named }: Scope): unknown {
  const parts = partsOf(path)
  output.step(parts.length)
  const [first = '', ...others] = parts
  if (path.type !== 'PathExpression') return ownMember(context.value, first)
  if (path.data)
    return memberAt(first === 'root' ? data : ownMember(outerOf(loop, path.depth), first), others)
  if (path.depth === 0 && !isScoped(path))
    for (let block = named; block; block = block.outer)
      if (block.value.has(first)) return memberAt(block.value.get(first), others)
  return memberAt(outerOf(context, path.depth), parts)
}

/** The value so many levels further out, where each `../` is one; undefined where there are not so many. */
function outerOf<T>(nested: Nested<T> | null, levels: number): T | undefined {
  let at = nested
  for (let left = levels; left > 0 && at; left--) at = at.outer
  return at?.value
}

function memberAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce(ownMember, value)
}
