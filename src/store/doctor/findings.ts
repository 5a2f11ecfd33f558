import { listedNames } from '../io-errors.ts'

export { listed } from '../io-errors.ts'

/** One thing that an inspection of a data folder or a database found, for the person who asked. */
export interface Finding {
  /** `problem`: something is lost, or the next start refuses the folder or the database; `note`: worth knowing, nothing to do. */
  readonly level: 'ok' | 'note' | 'problem'
  readonly subject:
    | 'folder'
    | 'lock'
    | 'checkpoint'
    | 'snapshot'
    | 'index'
    | 'log'
    | 'blobs'
    | 'leftovers'
    | 'disk'
    | 'schema'
    | 'tables'
    | 'records'
    | 'totals'
    | 'texts'
    | 'instances'
    | 'changes'
  readonly message: string
  readonly fix: string | null
}

export interface Report {
  ok(message: string): void
  note(message: string): void
  problem(message: string, fix: string): void
  /** The number of problems so far, of all subjects. */
  readonly problems: number
}

/** Adds a value to the list of a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Keeps the first few of any number of names, and counts all of them. */
export class NameTally {
  readonly #first: string[]
  count: number

  constructor(first: string[] = [], count: number = first.length) {
    this.#first = first
    this.count = count
  }

  add(name: string): void {
    if (this.#first.length < listedNames) this.#first.push(name)
    this.count++
  }

  get names(): string {
    const more = this.count - this.#first.length
    return this.#first.join(', ') + (more > 0 ? ` and ${more} more` : '')
  }
}

/** A list of findings, and a function that returns a report for a subject, which adds to it. */
export function createFindings(): { all: Finding[]; about(subject: Finding['subject']): Report } {
  const all: Finding[] = []
  return {
    all,
    about: (subject) => ({
      ok: (message) => void all.push({ level: 'ok', subject, message, fix: null }),
      note: (message) => void all.push({ level: 'note', subject, message, fix: null }),
      problem: (message, fix) => void all.push({ level: 'problem', subject, message, fix }),
      get problems() {
        return all.filter(({ level }) => level === 'problem').length
      },
    }),
  }
}
