import { nextTurn } from '../core/machine.ts'
import { createPacer } from '../core/yield.ts'

/** Work that a start leaves for later: done in order and in slices, as soon as it is needed. */
export class Deferred {
  #steps: (() => void)[] = []
  #running: Promise<void> | null = null
  /** Whether some of it is only in the log. */
  holdsCommits = false

  /** Notes a step; none may come once it runs. */
  add(step: () => void): void {
    this.#steps.push(step)
  }

  /** Notes what a commit of the log did. */
  addCommit(step: () => void): void {
    this.holdsCommits = true
    this.#steps.push(step)
  }

  /** Does all steps. Every call waits for the same run. */
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
