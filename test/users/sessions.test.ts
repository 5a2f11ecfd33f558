import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/keys/types.ts'
import { createStoredSessions, type StoredSessions } from '../../src/users/sessions.ts'
import { sessionCollection } from '../../src/users/user.ts'
import type { UserLine } from '../../src/users/users-file.ts'
import { openParts, type Parts } from '../support/deps.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

let parts: Parts
let now = 1_000_000
let users: Map<string, UserLine>
let keys: Map<string, Scope>

const open = (): Promise<StoredSessions> =>
  createStoredSessions({
    store: parts.store,
    keys: {
      ofDigest(digest) {
        const scope = keys.get(digest)
        return scope ? { scope, account: null } : null
      },
    },
    users: { find: (name) => users.get(name) ?? null },
    now: () => now,
  })
const ada: UserLine = { name: 'ada', role: 'member', accounts: ['default'], hash: 'hash one' }

beforeEach(async () => {
  parts = await openParts()
  now = 1_000_000
  users = new Map([['ada', ada]])
  keys = new Map([[sha256('lp_key'), 'read']])
})

describe('sessions', () => {
  it('belong to a user or to an API key, and survive a restart', async () => {
    const sessions = await open()
    const [byName, byKey] = [await sessions.openForUser(ada), await sessions.openForKey('lp_key')]
    for (const at of [sessions, await open()]) {
      expect(at.ownerOf(byName)).toEqual({ user: { name: 'ada', role: 'member', accounts: ['default'] } })
      expect(at.ownerOf(byKey)).toEqual({ scope: 'read', account: null })
      for (const wrong of ['', 'x', `${byName}x`, byName.slice(1), sha256(byName)])
        expect(at.ownerOf(wrong)).toBeNull()
    }
  })

  it('are stored without their token, the key and the hash of the password', async () => {
    const sessions = await open()
    const tokens = [await sessions.openForUser(ada), await sessions.openForKey('lp_key')]
    const text = JSON.stringify((await parts.store.page(sessionCollection, { limit: 10 })).records)
    for (const secret of [...tokens, 'lp_key', 'hash one']) expect(text).not.toContain(secret)
  })

  it('end after a day, at sign-out, and when the password changes, the user or the key is removed', async () => {
    const sessions = await open()
    const closed = await sessions.openForUser(ada)
    await sessions.close(closed)
    await sessions.close(closed)
    expect(sessions.ownerOf(closed)).toBeNull()
    expect((await open()).ownerOf(closed)).toBeNull()

    const [byName, byKey] = [await sessions.openForUser(ada), await sessions.openForKey('lp_key')]
    users.set('ada', { ...ada, role: 'admin' })
    expect(sessions.ownerOf(byName)).toMatchObject({ user: { role: 'admin' } })
    users.set('ada', { ...ada, hash: 'hash two' })
    expect(sessions.ownerOf(byName)).toBeNull()
    users.delete('ada')
    expect(sessions.ownerOf(byName)).toBeNull()
    keys.clear()
    expect(sessions.ownerOf(byKey)).toBeNull()

    users.set('ada', ada)
    const old = await sessions.openForUser(ada)
    now += 86_399_000
    expect(sessions.ownerOf(old)).not.toBeNull()
    now += 1000
    expect(sessions.ownerOf(old)).toBeNull()
  })

  it('of users of a provider keep what it said, and end when the options for it change', async () => {
    const withPolicy = (policy: string | null): Promise<StoredSessions> =>
      createStoredSessions({
        store: parts.store,
        keys: { ofDigest: () => null },
        users: null,
        policy,
        now: () => now,
      })
    const sessions = await withPolicy('one')
    const grace = { name: 'ada', role: 'admin', accounts: ['shop'] } as const
    const token = await sessions.openForProvided(grace)
    for (const at of [sessions, await withPolicy('one')])
      expect(at.ownerOf(token)).toEqual({ user: grace, isProvided: true })
    // Not even where a user with a password has the same name.
    for (const at of [await withPolicy('two'), await withPolicy(null), await open()])
      expect(at.ownerOf(token)).toBeNull()
    now += 86_400_000
    expect(sessions.ownerOf(token)).toBeNull()
  })

  it('are at most 1,000, and expired ones are removed', async () => {
    const sessions = await open()
    const first = await sessions.openForUser(ada)
    for (let i = 0; i < 1000; i++) {
      now++
      await sessions.openForUser(ada)
    }
    expect(sessions.ownerOf(first)).toBeNull()
    expect(await parts.store.count(sessionCollection)).toBe(1000)
    now += 2 * 86_400_000
    await sessions.openForUser(ada)
    expect(await parts.store.count(sessionCollection)).toBe(1)
  })
})
