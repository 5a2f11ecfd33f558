import { createRequire } from 'node:module'

/** The part of htmlparser2 that reads HTML as a browser does, and bounds what hostile HTML costs. */
export type HtmlTokenizing = Pick<typeof import('htmlparser2'), 'Tokenizer' | 'QuoteType'>

let loaded: HtmlTokenizing | undefined

/** Loads it at the first call, which takes 20 ms: nobody needs it before there is HTML. */
export function loadTokenizer(): HtmlTokenizing {
  loaded ??= createRequire(import.meta.url)('htmlparser2') as HtmlTokenizing
  return loaded
}
