import {
  parse,
  parser,
  parseWithoutProcessing,
  type Block,
  type Lexer,
  type Location,
  type Mustache,
  type Program,
  type SubExpression,
} from 'handlebars/dist/cjs/handlebars/compiler/base.js'
import { messageOf } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Helpers } from './handlebars-helpers.ts'
import { type BlockNames, helperName, written } from './handlebars-names.ts'
import { maxNesting, TemplateFaultError } from './output.ts'

// The compiler of Handlebars makes JavaScript of a template, whose time and output have no bound. So a template is only read
// by its parser, and rendered by `handlebars-render.ts`.

/**
 * Reads a template of Handlebars.
 *
 * @param helpers  The helpers that it may use.
 * @throws TemplateFaultError for what is not Handlebars, and for partials, decorators and helpers that do not exist.
 */
export function parseHandlebars(source: string, helpers: Helpers): Program {
  const program = parseBounded(source)
  assertSupported(program, helpers, null)
  // Reads nothing again: of a program it only removes white space. It follows partials too, whose nesting nothing limits, so the
  // check comes first.
  return parse(program)
}

function parseBounded(source: string): Program {
  const { lexer } = parser
  // The parser is one for all templates. It reads in one go, so nothing else sees this lexer.
  parser.lexer = boundedLexer(lexer)
  try {
    return parseWithoutProcessing(source)
  } catch (error) {
    throw error instanceof TemplateFaultError ? error : new TemplateFaultError(syntaxFault(error))
  } finally {
    parser.lexer = lexer
  }
}

/** A lexer that refuses what is too long or nested too deeply: the parser has no limit, and copies all that is open. */
function boundedLexer(lexer: Lexer): Lexer {
  const { symbols_: symbols } = parser
  let tokensLeft = maxTokens
  /** How deep each open block nests, counting its `{{else if}}`: `{{/if}}` closes all of them at once. */
  const openDepths: number[] = []
  let depth = 0
  function count(token: unknown): void {
    if (token === symbols['OPEN_BLOCK'] || token === symbols['OPEN_INVERSE']) {
      openDepths.push(1)
      depth++
    } else if (token === symbols['OPEN_SEXPR']) depth++
    else if (token === symbols['CLOSE_SEXPR']) depth--
    else if (token === symbols['OPEN_ENDBLOCK']) depth -= openDepths.pop() ?? 0
    else if (token === symbols['OPEN_INVERSE_CHAIN']) {
      openDepths.push((openDepths.pop() ?? 0) + 1)
      depth++
    }
  }
  return Object.create(lexer, {
    lex: {
      value(this: Lexer): unknown {
        const token = lexer.lex.call(this)
        count(token)
        const line = (this.yylineno ?? 0) + 1
        if (depth > maxNesting) throw new TemplateFaultError({ line, message: tooDeep })
        if (--tokensLeft < 0)
          throw new TemplateFaultError({ line, message: `has more than ${maxTokens} tags, names and texts` })
        return token
      },
    },
  })
}

const maxTokens = 100_000
const tooDeep = `is nested deeper than ${maxNesting} blocks, expressions and {{else if}}`

/** The fault of a syntax error of the parser, which throws errors with a text of several lines, or with the place as members. */
function syntaxFault(error: unknown): { line: number; column?: number; message: string } {
  const message = messageOf(error)
  const line = error instanceof Error ? Reflect.get(error, 'lineNumber') : undefined
  const column = error instanceof Error ? Reflect.get(error, 'column') : undefined
  if (typeof line === 'number') {
    const [, text = message] = /^(.*) - \d+:\d+$/s.exec(message) ?? []
    return { line, ...(typeof column === 'number' && { column: column + 1 }), message: text }
  }
  const [first = '', near = '', , expected = ''] = message.split('\n', 4)
  const [, at = '1'] = /on line (\d+)/.exec(first) ?? []
  const [, got = ''] = /got '(\w+)'$/.exec(expected) ?? []
  const what =
    got === 'EOF' || got === ''
      ? 'ends too early: a {{ or a block is not closed'
      : 'is not valid Handlebars: close each tag with }} and each block with {{/name}}'
  return { line: Number(at), message: `${what}, near ${quote(near.trim())}` }
}

/** Refuses what the grammar allows and Localpost does not. The lexer limits how deeply this calls itself. */
function assertSupported(program: Program, helpers: Helpers, outer: BlockNames): void {
  const { blockParams, body } = program
  const names = blockParams ? { value: new Set(blockParams), outer } : outer
  for (const statement of body) {
    const problem = unsupported[statement.type]
    if (problem !== undefined) throw faultAt(statement.loc, problem)
    if (!('params' in statement)) continue
    assertCall(statement, helpers, names)
    if (statement.type !== 'BlockStatement') continue
    for (const part of [statement.program, statement.inverse]) {
      if (!part) continue
      if (part.blockParams && part.blockParams.length > maxNames) throw faultAt(statement.loc, tooManyNames)
      assertSupported(part, helpers, names)
    }
  }
}

const unsupported: Readonly<Record<string, string>> = {
  PartialStatement: 'uses a partial, which Localpost does not have: write its content here',
  PartialBlockStatement: 'uses a partial, which Localpost does not have: write its content here',
  Decorator: 'uses a decorator, which Localpost does not have: leave it out',
  DecoratorBlock: 'uses an inline partial, which Localpost does not have: write its content where it is used',
}

/** How many values a block gives names to: an item, and its key or index. */
const maxNames = 2
const tooManyNames = `has more than ${maxNames} names between | and |: leave out the others, which get no value`

/** Refuses a call of a helper that does not exist or is not called so, also in its parameters. */
function assertCall(call: Block | Mustache | SubExpression, helpers: Helpers, names: BlockNames): void {
  const { path, params, type, loc, hash } = call
  for (const value of [...params, ...(hash?.pairs.map((pair) => pair.value) ?? [])])
    if (value.type === 'SubExpression') assertCall(value, helpers, names)
  const name = helperName(path, names) ?? ''
  if (name === 'log') throw faultAt(loc, noLog)
  const block = helpers.blocks.get(name)
  const helper = block ?? helpers.values.get(name)
  if (!helper) {
    if (type !== 'SubExpression' && params.length === 0 && hash === undefined) return
    const all = [...helpers.blocks.keys(), ...helpers.values.keys()].join(', ')
    throw faultAt(loc, `calls ${quote(written(path))}, which is no helper. The helpers are ${all}`)
  }
  if (block && type !== 'BlockStatement')
    throw faultAt(loc, `uses ${quote(name)} without a block: write {{#${name} …}}…{{/${name}}}`)
  if (!block && type === 'BlockStatement')
    throw faultAt(loc, `uses ${quote(name)} as a block: write {{${name} …}}`)
  const [min, max] = helper.params
  if (params.length >= min && params.length <= max) return
  const count = min === max ? `${min}` : `${min} to ${max}`
  throw faultAt(loc, `gives ${quote(name)} ${params.length} parameters; it takes ${count}`)
}

const noLog = 'uses "log", which writes to a log that Localpost does not have: leave it out'

function faultAt({ start }: Location, message: string): TemplateFaultError {
  return new TemplateFaultError({ line: start.line, column: start.column + 1, message })
}
