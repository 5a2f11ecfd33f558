import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/keys/types.ts'
import { createStoredSessions, maxPerUser, type StoredSessions } from '../../src/users/sessions.ts'
import { sessionCollection } from '../../src/users/user.ts'
import type { UserLine } from '../../src/users/users-text.ts'
import { openParts, type Parts } from '../support/deps.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

let parts: Parts
let now = 1_000_000
let users: Map<string, UserLine>
let keys: Map<string, Scope>

const open = (acceptAny = false): Promise<StoredSessions> =>
  createStoredSessions({
    store: parts.store,
    keys: {
      ofDigest(digest) {
        const scope = keys.get(digest) ?? (acceptAny ? 'full' : null)
        return scope && { scope, account: null }
      },
      has: (digest) => keys.has(digest),
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
    const [byName, byKey] = [await sessions.open({ user: ada }), await sessions.open({ key: 'lp_key' })]
    for (const at of [sessions, await open()]) {
      expect(at.ownerOf(byName)).toEqual({ user: { name: 'ada', role: 'member', accounts: ['default'] } })
      expect(at.ownerOf(byKey)).toEqual({ scope: 'read', account: null })
      for (const wrong of ['', 'x', `${byName}x`, byName.slice(1), sha256(byName)])
        expect(at.ownerOf(wrong)).toBeNull()
    }
  })

  it('are stored without their token, the key and the hash of the password', async () => {
    const sessions = await open()
    const tokens = [await sessions.open({ user: ada }), await sessions.open({ key: 'lp_key' })]
    const text = JSON.stringify((await parts.store.page(sessionCollection, { limit: 10 })).records)
    for (const secret of [...tokens, 'lp_key', 'hash one']) expect(text).not.toContain(secret)
  })

  it('end after a day, at sign-out, and when the password changes, the user or the key is removed', async () => {
    const sessions = await open()
    const closed = await sessions.open({ user: ada })
    await sessions.close(closed)
    await sessions.close(closed)
    expect(sessions.ownerOf(closed)).toBeNull()
    expect((await open()).ownerOf(closed)).toBeNull()

    const [byName, byKey] = [await sessions.open({ user: ada }), await sessions.open({ key: 'lp_key' })]
    users.set('ada', { ...ada, role: 'admin' })
    expect(sessions.ownerOf(byName)).toMatchObject({ user: { role: 'admin' } })
    users.set('ada', { ...ada, hash: 'hash two' })
    expect(sessions.ownerOf(byName)).toBeNull()
    users.delete('ada')
    expect(sessions.ownerOf(byName)).toBeNull()
    keys.clear()
    expect(sessions.ownerOf(byKey)).toBeNull()

    users.set('ada', ada)
    const old = await sessions.open({ user: ada })
    now += 86_399_000
    expect(sessions.ownerOf(old)).not.toBeNull()
    now += 1000
    expect(sessions.ownerOf(old)).toBeNull()
  })

  it('of users of a provider keep what it said, and end when the options for it change', async () => {
    const withPolicy = (policy: string | null): Promise<StoredSessions> =>
      createStoredSessions({
        store: parts.store,
        keys: { ofDigest: () => null, has: () => false },
        users: null,
        policy,
        now: () => now,
      })
    const sessions = await withPolicy('one')
    const grace = { name: 'ada', role: 'admin', accounts: ['shop'] } as const
    const token = await sessions.open({ provided: { user: grace, subject: '1' } })
    for (const at of [sessions, await withPolicy('one')])
      expect(at.ownerOf(token)).toEqual({ user: grace, isProvided: true })
    // Not even where a user with a password has the same name.
    for (const at of [await withPolicy('two'), await withPolicy(null), await open()])
      expect(at.ownerOf(token)).toBeNull()
    now += 86_400_000
    expect(sessions.ownerOf(token)).toBeNull()
  })

  const owners: Readonly<Record<string, (sessions: StoredSessions) => Promise<string>>> = {
    'a read key': (sessions) => sessions.open({ key: 'lp_key' }),
    'a full key': (sessions) => sessions.open({ key: 'lp_other' }),
    'a user': (sessions) => sessions.open({ user: ada }),
    'another user': (sessions) => sessions.open({ user: { ...ada, name: 'grace' } }),
    // Also where the provider gives both the name of a user with a password.
    'a user of the provider': (sessions) => sessions.open({ provided: { user: ada, subject: '1' } }),
    'another user of the provider': (sessions) => sessions.open({ provided: { user: ada, subject: '2' } }),
  }

  it.each(Object.entries(owners))('of %s end only the oldest of the same one', async (name, signIn) => {
    keys.set(sha256('lp_other'), 'full')
    const sessions = await open()
    const others = Object.entries(owners).filter(([other]) => other !== name)
    const kept = await Promise.all(others.map(([, signInOther]) => signInOther(sessions)))
    const own: string[] = []
    for (let i = 0; i < 1000; i++) {
      now++
      own.push(await signIn(sessions))
    }
    const { records } = await parts.store.page(sessionCollection, { limit: 500 })
    const expected = [...kept, ...own.slice(-maxPerUser)].map(sha256)
    expect(records.map(({ id }) => id).sort()).toEqual(expected.sort())
    expect(sessions.ownerOf(own.at(0) ?? '')).toBeNull()
  })

  it('of keys that callers invent are together as many as those of one key', async () => {
    const sessions = await open(true)
    const ofKey = await sessions.open({ key: 'lp_key' })
    const first = await sessions.open({ key: 'invented' })
    for (let i = 0; i < maxPerUser; i++) {
      now++
      await sessions.open({ key: `invented ${i}` })
    }
    expect([sessions.ownerOf(ofKey), sessions.ownerOf(first)]).toEqual([
      { scope: 'read', account: null },
      null,
    ])
    expect(await parts.store.count(sessionCollection)).toBe(maxPerUser + 1)
  })

  it('that expired are removed', async () => {
    const sessions = await open()
    for (let i = 0; i < 3; i++) await sessions.open({ user: ada })
    now += 2 * 86_400_000
    await sessions.open({ key: 'lp_key' })
    expect(await parts.store.count(sessionCollection)).toBe(1)
  })
})
