import { nextTurn } from '../core/machine.ts'
import { blockBytes, type TextBlocks } from './text-blocks.ts'
import type { BlockGuides } from './block-guides.ts'
import { cutRows, headBytes, isSealedBlock, readHead } from './text-rows.ts'

/** The blocks of an earlier run. Each is checked when it is first read: to check all takes a second for 2 GB. */
export class EarlierBlocks {
  readonly #blocks: TextBlocks
  /** The numbers of those that are not checked yet, in order. */
  #unchecked: Set<number>
  #areHeadsRead = false

  /** @param blocks  All of them are from an earlier run. */
  constructor(blocks: TextBlocks) {
    this.#blocks = blocks
    this.#unchecked = new Set(Array.from({ length: blocks.count }, (_, number) => number))
  }

  get areChecked(): boolean {
    return this.#unchecked.size === 0
  }

  /** Whether a block that was read is intact. One of this run always is. */
  check(number: number, block: Buffer): boolean {
    if (this.#unchecked.has(number) && !isSealedBlock(block)) return false
    this.#unchecked.delete(number)
    return true
  }

  /** Reads, once, what the blocks say of themselves. Call it before one of them is checked or dropped. */
  async readHeads(guides: BlockGuides, cut: Set<string>): Promise<void> {
    if (this.#areHeadsRead) return
    const head = Buffer.allocUnsafeSlow(headBytes)
    let whole: Buffer | null = null
    for (const number of this.#unchecked) {
      const read = await this.#blocks.read(number, head)
      guides.addHead(number, read)
      if (!readHead(read)?.hasCut) continue
      whole ??= Buffer.allocUnsafeSlow(blockBytes)
      for (const id of cutRows(await this.#blocks.read(number, whole))) cut.add(id)
    }
    this.#areHeadsRead = true
  }

  /** Checks those that are not checked yet. @param isStopped  Whether to stop after a block. */
  async verify(isStopped: () => boolean): Promise<'intact' | 'damaged' | 'stopped'> {
    const buffer = Buffer.allocUnsafeSlow(blockBytes)
    for (const number of this.#unchecked) {
      if (!this.check(number, await this.#blocks.read(number, buffer))) return 'damaged'
      await nextTurn()
      if (isStopped()) break
    }
    return this.areChecked ? 'intact' : 'stopped'
  }

  /** Follows the removal of the first blocks: the numbers of all others become smaller. */
  drop(count: number): void {
    this.#unchecked = new Set(
      [...this.#unchecked].map((number) => number - count).filter((number) => number >= 0),
    )
  }

  clear(): void {
    this.#unchecked.clear()
  }
}
