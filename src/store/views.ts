import type { LocalpostError } from '../core/errors.ts'
import type { Blob, Change, CommitHook } from './store.ts'

type Commit = (changes: readonly Change[], blobs?: readonly Blob[]) => Promise<void>

/** The views of the partitions of a store. A partition can be closed to changes before it is removed. */
export class Views {
  readonly #gates: Map<string, Gate> = new Map()

  open(partition: string): View {
    if (partition === '') return new View(null)
    let gate = this.#gates.get(partition)
    if (!gate) this.#gates.set(partition, (gate = { running: new Set(), refusal: null }))
    return new View(gate)
  }

  /** Refuses changes through the views of a partition that are open now, and waits for those that run. */
  async close(partition: string, refusal: LocalpostError): Promise<void> {
    const gate = this.#gates.get(partition)
    if (!gate) return
    this.#gates.delete(partition)
    gate.refusal = refusal
    await Promise.allSettled(gate.running)
  }
}

interface Gate {
  readonly running: Set<Promise<unknown>>
  /** Why changes are refused; null while they are not. */
  refusal: LocalpostError | null
}

/** What one user of a partition registered with the store, and the changes that run. */
class View {
  readonly #gate: Gate | null
  readonly #hooks: Set<CommitHook> = new Set()
  readonly #stops: Set<() => void> = new Set()

  /** @param gate  null for the main partition, which is never removed. */
  constructor(gate: Gate | null) {
    this.#gate = gate
  }

  /** Runs a change of records, unless the partition is closed. */
  change<T>(run: () => Promise<T>): Promise<T> {
    if (!this.#gate) return run()
    const { running, refusal } = this.#gate
    if (refusal) return Promise.reject(refusal)
    const work = run().finally(() => running.delete(work))
    running.add(work)
    return work
  }

  commit(changes: readonly Change[], blobs: readonly Blob[] | undefined, write: Commit): Promise<void> {
    return this.change(async () => {
      const additions = [...this.#hooks].map((hook) => hook(changes)).filter((one) => one !== null)
      // The id of a new record defines its place in the list, so nothing is awaited between it and the commit without need.
      for (const { prepare } of additions) if (prepare) await prepare()
      await write([...changes, ...additions.flatMap((one) => one.add())], blobs)
      for (const { committed } of additions) committed()
    })
  }

  beforeCommit(hook: CommitHook): () => void {
    this.#hooks.add(hook)
    return () => void this.#hooks.delete(hook)
  }

  /** Keeps a function that removes a listener, for `stopListening`. @returns A function that removes the listener now. */
  listening(stop: () => void): () => void {
    const end = (): void => {
      this.#stops.delete(end)
      stop()
    }
    this.#stops.add(end)
    return end
  }

  stopListening(): void {
    for (const stop of this.#stops) stop()
  }
}
