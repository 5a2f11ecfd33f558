import { nextTurn } from '../core/machine.ts'
import { createPacer } from '../core/yield.ts'

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
    const steps = this.#steps
    // Each step is released as soon as it has run, so that its memory is free.
    this.#steps = []
    const pacer = createPacer()
    await nextTurn()
    for (let step = steps.shift(); step; step = steps.shift()) {
      step()
      if (pacer.due()) await pacer.turn()
    }
  }
}
