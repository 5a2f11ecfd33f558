import { nextTurn } from '../core/machine.ts'
import { forEachSlice } from '../core/slices.ts'

/** Work that the start postpones. When it is first needed, its steps run in order and yield to the event loop. */
export class Deferred {
  #steps: (() => void)[] = []
  #running: Promise<void> | null = null
  /** Whether some steps apply commits, which are only in the log until then. */
  holdsCommits = false

  /** Adds a step. Must not be called after `run`. */
  add(step: () => void): void {
    this.#steps.push(step)
  }

  /** Adds a step that applies a commit of the log. */
  addCommit(step: () => void): void {
    this.holdsCommits = true
    this.#steps.push(step)
  }

  /** Runs all steps. All calls wait for the same run. */
  run(): Promise<void> {
    return (this.#running ??= this.#run())
  }

  async #run(): Promise<void> {
    await nextTurn()
    await forEachSlice(this.#taken(), (step) => step())
  }

  /** Each step is released before it runs, so that its memory is free afterwards. */
  *#taken(): Generator<() => void> {
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) yield step
  }
}
