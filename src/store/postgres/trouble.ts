import { isErrorOf, type LocalpostError } from '../../core/errors.ts'
import { monotonicNow } from '../../core/machine.ts'

/** Remembers why the database cannot be used, and reports it by notices. */
export class Trouble {
  readonly #onNotice: (text: string) => void
  #fault: LocalpostError | null = null
  /** Whether a notice reported the fault. */
  #isReported = false
  /** When each fault last occurred; see {@link Trouble.note}. */
  readonly #noted: Map<string, number> = new Map()

  constructor(onNotice: (text: string) => void) {
    this.#onNotice = onNotice
  }

  /** Why the last attempt to use the database failed; null if it succeeded. */
  get fault(): LocalpostError | null {
    return this.#fault
  }

  /**
   * Notes a failed transaction. A fault that repeats within ten seconds is reported once: a failure whatever numbers its
   * message contains, and a refusal whichever file or statement it names.
   */
  note(fault: LocalpostError): void {
    if (!isErrorOf(fault, 'service_unavailable', 'store_full', 'store_read_only')) return
    const now = monotonicNow()
    for (const [known, at] of this.#noted) if (now - at >= reportAgainMs) this.#noted.delete(known)
    const kind = fault.code === 'service_unavailable' ? fault.message.replaceAll(/\d+/g, '') : fault.code
    const isNew = !this.#noted.has(kind)
    this.#noted.set(kind, now)
    if (isNew) this.#onNotice(fault.message)
    this.#isReported ||= isNew
    this.#fault = fault
  }

  /** Notes that the database stores again. */
  end(): void {
    if (this.#fault && this.#isReported) this.#onNotice('The database stores mail again.')
    this.#fault = null
    this.#isReported = false
  }
}

const reportAgainMs = 10_000
