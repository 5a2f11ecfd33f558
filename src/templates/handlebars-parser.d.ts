/** What is used of the parser and the utilities of Handlebars, whose package has no types for them. */
declare module 'handlebars/dist/cjs/handlebars/compiler/base.js' {
  /** Reads a template without changing its white space. */
  export function parseWithoutProcessing(source: string): Program
  /** Removes white space beside `~` and blocks that have a line of their own. */
  export function parse(program: Program): Program
  /** `symbols_` are the numbers of the tokens. */
  export const parser: { lexer: Lexer; readonly symbols_: Readonly<Record<string, number>> }

  export interface Lexer {
    /** Reads the next token. */
    lex(): unknown
    /** The line, from 0. */
    readonly yylineno?: number
  }
  /** Lines begin at 1, columns at 0. */
  export interface Location {
    readonly start: { readonly line: number; readonly column: number }
  }
  export interface Program {
    readonly type: 'Program'
    readonly body: readonly Statement[]
    readonly blockParams?: readonly string[]
  }
  export type Statement = Content | Mustache | Block | Other
  export interface Content {
    readonly type: 'ContentStatement'
    readonly value: string
    readonly loc: Location
  }
  export interface Other {
    readonly type:
      | 'CommentStatement'
      | 'PartialStatement'
      | 'PartialBlockStatement'
      | 'Decorator'
      | 'DecoratorBlock'
    readonly loc: Location
  }
  /** The call of a helper, or a path. */
  export interface Call {
    readonly path: Path | Literal
    readonly params: readonly Expression[]
    readonly hash?: { readonly pairs: readonly { readonly key: string; readonly value: Expression }[] }
    readonly loc: Location
  }
  export interface Mustache extends Call {
    readonly type: 'MustacheStatement'
    readonly escaped: boolean
  }
  export interface Block extends Call {
    readonly type: 'BlockStatement'
    readonly program?: Program
    readonly inverse?: Program
  }
  export interface SubExpression extends Call {
    readonly type: 'SubExpression'
  }
  export interface Path {
    readonly type: 'PathExpression'
    readonly data: boolean
    readonly depth: number
    readonly parts: readonly string[]
    readonly original: string
    readonly loc: Location
  }
  export interface Literal {
    readonly type: 'StringLiteral' | 'NumberLiteral' | 'BooleanLiteral' | 'UndefinedLiteral' | 'NullLiteral'
    readonly value?: string | number | boolean
    readonly original?: string | number | boolean
    readonly loc: Location
  }
  export type Expression = Path | Literal | SubExpression
}

declare module 'handlebars/dist/cjs/handlebars/utils.js' {
  /** Escapes a text for HTML. */
  export function escapeExpression(text: string): string
  /** Whether a value is null, undefined, false, `""` or an empty array. */
  export function isEmpty(value: unknown): boolean
}
