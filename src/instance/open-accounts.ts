import { systemClock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { runTogether } from '../core/run-all.ts'

interface OpenAccountsDeps<Opened> {
  /** Throws not_found where an account may not be opened. */
  assertUsable(id: string): void
  open(id: string): Promise<Opened>
  end(id: string, opened: Opened): Promise<void>
  /** Whether an account that is not in use has work to do. */
  isBusy(id: string, opened: Opened): Promise<boolean>
  /** The limit. More are open while they are in use. */
  maxOpen: number
  onError(error: unknown): void
}

/**
 * The open accounts. Each is opened on its first use. Above the limit, the least recently used ones are closed, except
 * those in use or with work to do.
 */
export class OpenAccounts<Opened> {
  readonly #deps: OpenAccountsDeps<Opened>
  /** The accounts that are being opened or are open: from the beginning of their opening until `shut`. */
  readonly #started = new Map<string, Promise<Opened>>()
  /** Those of them that are open, in the order of their last use. */
  readonly #opened = new Map<string, Opened>()
  /** From `shut` until the account is closed; it is in none of the maps above then. */
  readonly #ending = new Map<string, Promise<void>>()
  /** How many uses keep an account open. */
  readonly #uses = new Map<string, number>()
  #isClosingIdle = false
  #cancelTimer: (() => void) | null = null
  #isClosed = false

  constructor(deps: OpenAccountsDeps<Opened>) {
    this.#deps = deps
  }

  /** Opens an account, or finds it open, and keeps it open until `release` is called. @throws not_found, closed. */
  async hold(id: string): Promise<{ readonly opened: Opened; release(): void }> {
    const release = this.keep(id)
    try {
      return { opened: await this.#open(id), release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Keeps an account open from now on, also if it is being opened. @returns A function that ends this once. */
  keep(id: string): () => void {
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1)
    let isKept = true
    return () => {
      if (isKept) this.#release(id)
      isKept = false
    }
  }

  /** An account if it is open, without keeping it open. */
  peek(id: string): Opened | undefined {
    return this.#opened.get(id)
  }

  /** The open accounts by their ids, the least recently used one first. */
  all(): [string, Opened][] {
    return [...this.#opened]
  }

  /** Whether an account is open or being opened. */
  isStarted(id: string): boolean {
    return this.#started.has(id)
  }

  /** Closes an account, also if it is in use. */
  shut(id: string): Promise<void> {
    const opening = this.#started.get(id)
    if (!opening) return this.#ending.get(id) ?? Promise.resolve()
    this.#started.delete(id)
    this.#opened.delete(id)
    const ending = (async () => {
      const opened = await opening.catch(() => null)
      if (opened !== null) await this.#deps.end(id, opened)
    })().finally(() => this.#ending.delete(id))
    this.#ending.set(id, ending)
    return ending
  }

  /** Closes all of them; none is opened afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer?.()
    await runTogether([
      ...[...this.#started.keys()].map((id) => () => this.shut(id)),
      ...[...this.#ending.values()].map((ending) => () => ending),
    ])
  }

  async #open(id: string): Promise<Opened> {
    for (;;) {
      if (this.#isClosed) throw new LocalpostError('closed', 'This instance is closed; create a new one.')
      this.#deps.assertUsable(id)
      const opening = this.#started.get(id)
      if (opening) return opening
      // Opening an account twice at the same time would do its work twice.
      const ending = this.#ending.get(id)
      if (!ending) break
      await ending.catch(() => {})
    }
    const opening = this.#deps.open(id)
    this.#started.set(id, opening)
    try {
      const opened = await opening
      if (this.#started.get(id) === opening) this.#opened.set(id, opened)
      return opened
    } catch (error) {
      if (this.#started.get(id) === opening) this.#started.delete(id)
      throw error
    }
  }

  #release(id: string): void {
    const remaining = (this.#uses.get(id) ?? 1) - 1
    if (remaining > 0) return void this.#uses.set(id, remaining)
    this.#uses.delete(id)
    const opened = this.#opened.get(id)
    // Now the last in the order of use.
    if (opened && this.#opened.delete(id)) this.#opened.set(id, opened)
    if (this.#isAboveLimit() && !this.#cancelTimer) void this.#closeIdle()
  }

  #isAboveLimit(): boolean {
    return this.#opened.size > this.#deps.maxOpen
  }

  /** Closes accounts until the limit is reached, or the others are in use or have work to do. */
  async #closeIdle(): Promise<void> {
    if (this.#isClosingIdle || this.#isClosed) return
    this.#isClosingIdle = true
    const began = monotonicNow()
    try {
      for (const [id, opened] of this.all()) {
        if (!this.#isAboveLimit()) return
        if (this.#uses.has(id) || (await this.#deps.isBusy(id, opened))) continue
        if (!this.#uses.has(id) && this.#opened.get(id) === opened) await this.shut(id)
      }
    } catch (error) {
      if (!this.#isClosed) this.#deps.onError(error)
    } finally {
      this.#isClosingIdle = false
    }
    if (!this.#isAboveLimit() || this.#isClosed) return
    const restMs = Math.max(shortestRestMs, restFactor * (monotonicNow() - began))
    this.#cancelTimer = systemClock.after(restMs, () => {
      this.#cancelTimer = null
      void this.#closeIdle()
    })
  }
}

// Accounts above the limit that cannot be closed are checked again later; the checks take at most a twentieth of the time.
const shortestRestMs = 250
const restFactor = 20
