import * as token from 'css-tree/tokenizer'
import type { Cut } from '../../core/cuts.ts'

/** Declarations between braces, or outside of all. */
interface Block {
  isNarrow: boolean
  isLow: boolean
  /** How its remote addresses are replaced if its element is a pixel. */
  remote: Cut[]
}

/**
 * Finds the blocks of declarations in CSS whose element has at most one pixel, from the tokens in their order. The caller
 * reports braces and semicolons by methods of their own, and all other tokens by `take`.
 */
export class PixelBlocks {
  readonly #open: Block[]
  readonly #cuts: Cut[] = []
  /** That of the declaration being read: `""` before its name, null in what is not a declaration. */
  #property: string | null = ''
  /** Whether a colon was read, and no size after it. */
  #isValue = false

  /** @param isTiny  Whether the element of the declarations outside of all braces has at most one pixel. */
  constructor(isTiny: boolean) {
    this.#open = [{ isNarrow: isTiny, isLow: isTiny, remote: [] }]
  }

  openBlock(): void {
    if (this.#open.length < maxBlocks) this.#open.push({ isNarrow: false, isLow: false, remote: [] })
  }

  closeBlock(): void {
    if (this.#open.length > 1) this.#close(this.#open.pop())
  }

  endStatement(): void {
    this.#property = ''
    this.#isValue = false
  }

  /** A token of a statement, except white space and comments. */
  take(type: number, text: string): void {
    if (type === token.AtKeyword) this.#property = null
    else if (type === token.Colon) this.#isValue = Boolean(this.#property)
    else if (type === token.Ident && this.#property === '') this.#property = text.toLowerCase()
    else if (type === token.Ident || type === token.Number || type === token.Dimension) this.#measure(text)
    else if (this.#property === '') this.#property = null
  }

  /** @param cut  How a remote address of the innermost block is replaced if its element is a pixel. */
  addRemote(cut: Cut): void {
    this.#open.at(-1)?.remote.push(cut)
  }

  /** The replacements in the blocks of pixels, after the end of the CSS. */
  cuts(): readonly Cut[] {
    while (this.#open.length > 0) this.#close(this.#open.pop())
    return this.#cuts
  }

  #close(block: Block | undefined): void {
    if (block?.isNarrow && block.isLow) for (const cut of block.remote) this.#cuts.push(cut)
  }

  #measure(value: string): void {
    const block = this.#open.at(-1)
    if (!block || !this.#isValue) return
    this.#isValue = false
    const isSmall = /^\+?[01](?:\.0{0,9})?(?:px)?$/i.test(value)
    if (this.#property === 'width') block.isNarrow = isSmall
    else if (this.#property === 'height') block.isLow = isSmall
  }
}

const maxBlocks = 1000
