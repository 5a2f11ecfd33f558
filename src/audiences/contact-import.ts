import { restBeforeBytes, type JobThread } from '../core/job-thread.ts'
import { LongBody } from '../core/long-body.ts'
import { nextTurn } from '../core/machine.ts'
import type { Store } from '../store/store.ts'
import { emailKey } from './addresses.ts'
import { contactCollection } from './audience.ts'
import { readContactRows, type ContactRow } from './contact-rows.ts'
import { type ContactStore, writeContacts, type WrittenContacts } from './contact-writer.ts'
import type { contactJobs } from './jobs.ts'
import { maxRejected } from './schema.ts'
import type { ContactInput, ImportResult } from './types.ts'

/** Dependencies of {@link importContacts}. */
export interface ImportDeps extends ContactStore {
  /** Where the rows of long imports are read. */
  readonly thread: JobThread<typeof contactJobs>
}

interface Import {
  readonly audienceId: string
  readonly source: readonly ContactInput[] | string | LongBody
  /** Whether to read and count only. */
  readonly dryRun: boolean
}

/** Adds or updates the contacts of a source; see `Contacts.import`. */
export async function importContacts(
  { audienceId, source, dryRun }: Import,
  deps: ImportDeps,
): Promise<ImportResult> {
  const { store, thread } = deps
  const result: ImportResult = { created: 0, updated: 0, rejected: [] }
  let waiting: ContactInput[] = []
  // A dry run stores nothing, so a later batch would not find the contacts of an earlier one.
  const foreseen = new Set<string>()
  const flush = async (): Promise<void> => {
    const { created, updated } = dryRun
      ? await foresee(store, audienceId, waiting, foreseen)
      : await writeContacts(audienceId, waiting, deps)
    result.created += created
    result.updated += updated
    waiting = []
  }
  let rows = 0
  let unlisted = 0
  let firstUnlistedLine = 0
  for await (const row of source instanceof LongBody
    ? rowsInThread(source, thread)
    : readContactRows(source)) {
    if ('contact' in row) waiting.push(row.contact)
    else if (result.rejected.length < maxRejected) result.rejected.push(row)
    else if (unlisted++ === 0) firstUnlistedLine = row.line
    if (waiting.length === importBatch) await flush()
    // Invalid rows take time too.
    if (++rows % importBatch === 0) await nextTurn()
  }
  if (waiting.length > 0) await flush()
  result.rejected.sort((a, b) => a.line - b.line)
  if (unlisted > 0) result.rejected.push({ line: firstUnlistedLine, message: `and ${unlisted} more rows` })
  return result
}

// Large, because a commit has its own cost; small enough to block the event loop for only a few milliseconds.
const importBatch = 250

async function* rowsInThread(body: LongBody, thread: ImportDeps['thread']): AsyncGenerator<ContactRow> {
  const bytes = body.take()
  if (bytes.length > restBeforeBytes) await thread.rest()
  for (const slice of await thread.run('contactRows', [bytes, body.isText]))
    yield* JSON.parse(Buffer.from(slice).toString()) as ContactRow[]
}

/** The counts that the writer would return. Adds the keys of new contacts to `foreseen`. */
async function foresee(
  store: Store,
  audienceId: string,
  inputs: readonly ContactInput[],
  foreseen: Set<string>,
): Promise<WrittenContacts> {
  const before = foreseen.size
  for (const key of new Set(inputs.map(({ email }) => emailKey(email)))) {
    if (!foreseen.has(key) && !(await store.find(contactCollection, 'email', [audienceId, key])))
      foreseen.add(key)
  }
  const created = foreseen.size - before
  return { created, updated: inputs.length - created }
}
