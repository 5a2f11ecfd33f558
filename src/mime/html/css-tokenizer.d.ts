/** The tokenizer of css-tree, which comes without types: as far as it is used here and in `client-support`. */
declare module 'css-tree/tokenizer' {
  /** Calls back for each token with its type, which is one of the numbers below, and its offsets. Nothing is left out. */
  export function tokenize(source: string, onToken: (type: number, start: number, end: number) => void): void
  /** The tokens of CSS Syntax Module Level 3 (https://www.w3.org/TR/css-syntax-3/#tokenization): `Ident` is <ident-token>. */
  export const Ident: number
  export const Function: number
  export const AtKeyword: number
  export const Hash: number
  export const Url: number
  export const BadUrl: number
  export const String: number
  export const BadString: number
  export const Delim: number
  export const Number: number
  export const Percentage: number
  export const Dimension: number
  export const WhiteSpace: number
  export const Colon: number
  export const Semicolon: number
  export const Comma: number
  export const CDO: number
  export const CDC: number
  export const LeftSquareBracket: number
  export const RightSquareBracket: number
  export const LeftParenthesis: number
  export const RightParenthesis: number
  export const LeftCurlyBracket: number
  export const RightCurlyBracket: number
  export const Comment: number
}
