import { describe, expect, onTestFinished, test } from 'vitest'
import { type CreatedAccount, fixedClock, type Localpost } from '../../src/index.ts'
import { type RawClient, rawClient } from '../capture/_server.ts'
import { start } from '../support/instance.ts'
import { caller } from './_worlds.ts'

const ended = '421 4.7.0 The credentials of this session are no longer valid, connect with others'
const refused = '535 5.7.8 The credentials are not valid'
const lifeMs = 600_000

interface World {
  post: Localpost
  team: CreatedAccount
  clock: ReturnType<typeof fixedClock>
  /** Makes a key of the account, or of `default`. */
  makeKey(owner: string): Promise<{ id: string; value: string }>
  removeKey(owner: string, id: string): Promise<void>
}

async function world(): Promise<World> {
  const clock = fixedClock('2026-01-01T00:00:00Z')
  const post = await start({ clock, smtpAuth: 'required' })
  const team = await post.accounts.create({ name: 'team', ttl_ms: lifeMs })
  async function keys(method: string, path: string, body?: unknown): Promise<string> {
    const { status, text } = await caller(post)(method, path, body)
    expect(status, text).toBeLessThan(300)
    return text
  }
  return {
    post,
    team,
    clock,
    makeKey: async (owner) =>
      JSON.parse(await keys('POST', `/dev/keys?account=${owner}`, { scope: 'send' })) as {
        id: string
        value: string
      },
    removeKey: async (owner, id) => void (await keys('DELETE', `/dev/keys/${id}?account=${owner}`)),
  }
}

/** Who signs in, and what takes the access away. */
interface Loss {
  user: string
  password: string
  take(): Promise<unknown>
}

/** Every way in which a session can lose its access. */
const losses: Record<string, (world: World) => Promise<Loss> | Loss> = {
  async 'its key is revoked'({ makeKey, removeKey }) {
    const { id, value } = await makeKey('team')
    return { user: 'ci', password: value, take: () => removeKey('team', id) }
  },
  async 'its key of the account default is revoked'({ makeKey, removeKey }) {
    const { id, value } = await makeKey('default')
    return { user: 'ci', password: value, take: () => removeKey('default', id) }
  },
  'the account gets a new SMTP password': ({ post, team }) => ({
    user: 'team',
    password: team.smtp.password,
    take: () => post.accounts.renewPassword('team'),
  }),
  ...Object.fromEntries(
    (['key', 'password'] as const).flatMap((by) => {
      const login = ({ team }: World): Omit<Loss, 'take'> =>
        by === 'key' ? { user: 'ci', password: team.api_key } : { user: 'team', password: team.smtp.password }
      const ways: [string, (world: World) => Promise<unknown>][] = [
        ['disabled', ({ post }) => post.accounts.update('team', { is_disabled: true })],
        ['removed', ({ post }) => post.accounts.remove('team')],
        ['over', ({ clock }) => clock.advance(lifeMs)],
      ]
      return ways.map(([what, take]) => [
        `its account is ${what}, by ${by}`,
        (all: World): Loss => ({ ...login(all), take: () => take(all) }),
      ])
    }),
  ),
}

/** How far a session has come when it loses access: what it sent, and what it sends next. */
const moments: Record<string, { before: readonly string[]; next: string }> = {
  'before its first message': { before: [], next: 'MAIL FROM:<a@acme.test>' },
  'before RCPT': { before: ['MAIL FROM:<a@acme.test>'], next: 'RCPT TO:<b@example.test>' },
  'before DATA': { before: ['MAIL FROM:<a@acme.test>', 'RCPT TO:<b@example.test>'], next: 'DATA' },
  'within a message': {
    before: ['MAIL FROM:<a@acme.test>', 'RCPT TO:<b@example.test>', 'DATA'],
    next: 'Subject: late\r\n\r\nx\r\n.',
  },
  'after a message': {
    before: ['MAIL FROM:<a@acme.test>', 'RCPT TO:<b@example.test>', 'DATA', 'Subject: first\r\n\r\nx\r\n.'],
    next: 'MAIL FROM:<a@acme.test>',
  },
  'before NOOP, with which clients look whether a connection is alive': { before: [], next: 'NOOP' },
}

async function signIn(post: Localpost, user: string, password: string): Promise<[RawClient, string]> {
  const client = await rawClient(post.smtp)
  onTestFinished(() => void client.socket.destroy())
  return [client, await client.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`)]
}

const subjectsOf = async ({ inbox }: Pick<Localpost, 'inbox'>): Promise<string[]> =>
  (await inbox.list()).items.map(({ subject }) => subject)

/** The subjects of all mail, also that of an account that is disabled. */
async function allSubjects(post: Localpost): Promise<string[]> {
  const team = (await post.accounts.list()).find(({ name }) => name === 'team')
  if (team?.is_disabled) await post.accounts.update('team', { is_disabled: false })
  return [...(await subjectsOf(post)), ...(team ? await subjectsOf(post.account('team')) : [])]
}

/**
 * Each loss at two moments, and each moment with three losses: what takes the access away, and the command that finds it
 * gone, know nothing of each other.
 */
const pairs = Object.entries(losses).flatMap(([loss, lose], at) =>
  Object.entries(moments)
    .filter((_, one) => one % 3 === at % 3)
    .map(([moment, steps]) => ({ loss, lose, moment, ...steps })),
)

describe('an open session ends', () => {
  test.each(pairs)('where $loss, $moment', async ({ lose, moment, before, next }) => {
    const all = await world()
    const { post } = all
    const { user, password, take } = await lose(all)
    const [client, passed] = await signIn(post, user, password)
    expect(passed).toMatch(/^235 /)
    for (const line of before) expect(await client.say(line)).toMatch(/^(?:250|354) /)
    await take()
    expect(await client.say(next)).toBe(ended)
    await client.closed()
    const [, again] = await signIn(post, user, password)
    expect(again).toBe(refused)
    const kept = await allSubjects(post)
    expect(kept).not.toContain('late')
    if (moment !== 'after a message') expect(kept).toEqual([])
  })
})

test('a session goes on where another key, password or account ends', async () => {
  const all = await world()
  const { post, team, makeKey, removeKey } = all
  await post.accounts.create({ name: 'other' })
  const sessions = await Promise.all([
    signIn(post, 'ci', (await makeKey('team')).value),
    signIn(post, 'ci', (await makeKey('default')).value),
    signIn(post, 'ci', team.api_key),
  ])
  for (const owner of ['team', 'default']) await removeKey(owner, (await makeKey(owner)).id)
  await post.accounts.renewPassword('team')
  await post.accounts.update('other', { is_disabled: true })
  await post.accounts.remove('other')
  for (const [client] of sessions) {
    for (const line of ['MAIL FROM:<a@acme.test>', 'RCPT TO:<b@example.test>', 'DATA'])
      expect(await client.say(line)).toMatch(/^(?:250|354) /)
    expect(await client.say('Subject: goes on\r\n\r\nx\r\n.')).toMatch(/^250 /)
  }
  expect(await subjectsOf(post.account('team'))).toEqual(['goes on', 'goes on'])
  expect(await subjectsOf(post)).toEqual(['goes on'])
})
