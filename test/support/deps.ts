import { audienceCollection, contactCollection } from '../../src/audiences/audience.ts'
import { dkimKeyCollection } from '../../src/domains/dkim-keys.ts'
import { domainCollection } from '../../src/domains/domain.ts'
import type { CreatedBy } from '../../src/domains/types.ts'
import { type Ids, createIds } from '../../src/core/ids.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import { jobs, type InstanceThread } from '../../src/instance/jobs.ts'
import { apiKeyCollection } from '../../src/keys/key.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import type { Store } from '../../src/store/store.ts'
import { sessionCollection } from '../../src/users/user.ts'
import { templateCollection } from '../../src/templates/template.ts'
import { templateVersionCollection } from '../../src/templates/versions.ts'
import { testClock, type TestClock } from './clock.ts'

/** Dependencies of most resources: a store in memory, a fixed clock, ids, an account and small pages. */
export interface Parts {
  store: Store
  clock: TestClock
  ids: Ids
  /** Runs jobs in this thread. */
  thread: InstanceThread
  account: CreatedBy
  pageSize: number
}

const collections = [
  apiKeyCollection,
  audienceCollection,
  contactCollection,
  dkimKeyCollection,
  domainCollection,
  sessionCollection,
  templateCollection,
  templateVersionCollection,
]

export async function openParts(): Promise<Parts> {
  const clock = testClock()
  return {
    store: await openMemoryStore({ collections }),
    clock,
    ids: createIds(clock),
    thread: createJobThread(jobs, null),
    account: { email: 'ada@acme.test', first_name: 'Ada', last_name: null, profile_picture: 'data:,' },
    pageSize: 3,
  }
}

/** The keys of an object, sorted: for comparing sets of members exactly. */
export const keysOf = (value: object): string[] => Object.keys(value).sort()

/** Reads all pages of a list, and fails if their `count` differs. */
export async function readAll<T>(
  list: (query: { cursor: string | null }) => Promise<{ items: T[]; count: number; cursor: string | null }>,
): Promise<{ items: T[]; pages: number; count: number }> {
  const items: T[] = []
  const counts = new Set<number>()
  let cursor: string | null = null
  let pages = 0
  do {
    const page = await list({ cursor })
    items.push(...page.items)
    counts.add(page.count)
    cursor = page.cursor
    pages++
  } while (cursor !== null)
  const [count = -1, ...others] = counts
  if (others.length > 0) throw new Error(`count differs from page to page: ${[...counts].join(', ')}`)
  return { items, pages, count }
}
