import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import type { ListedMail } from '../../src/inbox/types.ts'
import { lastingPlace } from '../support/adapters.ts'
import { start, startListening, startRetrying } from '../support/instance.ts'
import { randomOf } from '../support/random.ts'
import { submit } from '../support/submit.ts'

const mail = { from: 'Acme <news@acme.test>', subject: 'News for {{first_name}}', text: 'Hello' }
const fold = 'broadcasts'

async function audienceOf(post: Localpost, ...names: string[]): Promise<string> {
  const { id } = await post.audiences.create({ name: 'Friends' })
  for (const name of names)
    await post.audiences.contacts.add(id, { email: `${name}@example.com`, first_name: name })
  return id
}

const subjectsOf = async (post: Localpost): Promise<string[]> =>
  (await post.inbox.list({ fold })).items.map(({ subject }) => subject)

describe('a folded list', () => {
  it('has one item for a broadcast, with its number of mails and their outcomes', async () => {
    const post = await startRetrying()
    await post.rules.set([{ match: 'cy@example.com', action: 'reject' }])
    await submit(post, { subject: 'before' })
    const audience_id = await audienceOf(post, 'ada', 'bob', 'cy')
    const { id, email_ids } = await post.broadcasts.send({ ...mail, audience_id })
    await submit(post, { subject: 'after' })
    const groupOf = async (): Promise<ListedMail['broadcast']> =>
      (await post.inbox.list({ fold })).items[1]?.broadcast
    await expect.poll(async () => (await groupOf())?.outcomes).toEqual({ delivered: 2, bounced: 1 })
    expect(await groupOf()).toEqual({
      id,
      subject: mail.subject,
      emails: 3,
      unread: 3,
      outcomes: { delivered: 2, bounced: 1 },
    })
    await post.inbox.update(email_ids[1] ?? '', { unread: false })

    const page = await post.inbox.list({ fold })
    expect(page).toMatchObject({ count: 3, mails: 5, cursor: null })
    expect(page.items.map((one) => [one.id === email_ids[0], one.broadcast?.unread])).toEqual([
      [false, undefined],
      [true, 2],
      [false, undefined],
    ])
  })

  it('is the plain list without the option, and in a search', async () => {
    const post = await start()
    const audience_id = await audienceOf(post, 'ada', 'bob')
    const { id } = await post.broadcasts.send({ ...mail, audience_id })
    const plain = await post.inbox.list()
    expect(plain).not.toHaveProperty('mails')
    expect(plain.count).toBe(2)
    for (const query of ['news', 'type:broadcast', `broadcast:${id}`]) {
      const found = await post.inbox.list({ fold, query })
      expect(found).toMatchObject({ count: 2, mails: 2 })
      expect(found.items.map(({ broadcast }) => broadcast)).toEqual([undefined, undefined])
    }
    expect((await post.inbox.list({ fold, query: '  ' })).count).toBe(1)
    expect((await post.inbox.list({ query: `-broadcast:${id}` })).count).toBe(0)
    expect((await post.inbox.list({ query: 'broadcast:bc_0' })).count).toBe(0)
    await expect(post.inbox.list({ fold: 'tags' as never })).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('must be "broadcasts", not "tags"') as string,
    })
  })

  it('shows a broadcast with one mail as that mail', async () => {
    const post = await start()
    const audience_id = await audienceOf(post, 'ada', 'bob')
    const { email_ids } = await post.broadcasts.send({ ...mail, audience_id })
    await post.inbox.remove(email_ids[0] ?? '')
    const { items, count, mails } = await post.inbox.list({ fold })
    expect({ count, mails }).toEqual({ count: 1, mails: 1 })
    expect(items).toMatchObject([{ subject: 'News for bob' }])
    expect(items[0]).not.toHaveProperty('broadcast')
  })

  it('loses no mail whose tag was removed, and takes in none that only has the tag', async () => {
    const post = await start()
    const audience_id = await audienceOf(post, 'ada', 'bob', 'cy')
    const { id, email_ids } = await post.broadcasts.send({ ...mail, audience_id })
    await post.inbox.update(email_ids[1] ?? '', { tags: ['mine'] })
    await post.inbox.update(email_ids[2] ?? '', { tags: ['first', id] })
    await submit(post, { subject: 'tagged', headers: { 'X-Tags': id } })
    expect(await subjectsOf(post)).toEqual(['tagged', 'News for bob', 'News for ada'])
    expect((await post.inbox.list({ fold })).items[2]?.broadcast?.emails).toBe(2)
  })

  it('keeps the subject of the first mail where the broadcast itself is no longer there', async () => {
    const post = await start()
    const audience_id = await audienceOf(post, 'ada', 'bob')
    const { email_ids } = await post.broadcasts.send({ ...mail, audience_id })
    // No mail is of this broadcast any more, but for those that are tagged so.
    await post.inbox.updateMatching({ ids: email_ids }, { tags: ['bc_unknown'] })
    const { items } = await post.inbox.list({ fold })
    expect(items).toMatchObject([{ broadcast: { id: 'bc_unknown', subject: 'News for ada', emails: 2 } }])
  })

  it('counts those mails of a removal that can be undone as its broadcasts do', async () => {
    const post = await startListening()
    const audience_id = await audienceOf(post, 'ada', 'bob')
    const { email_ids: folded } = await post.broadcasts.send({ ...mail, audience_id })
    const { email_ids: single } = await post.broadcasts.send({ ...mail, audience_id })
    await post.inbox.remove(single[1] ?? '')
    await submit(post, { subject: 'plain' })
    await submit(post, { subject: 'left' })
    const plain = await post.inbox.waitFor('subject:plain')
    const hide = (ids: readonly (string | undefined)[]): Promise<Response> =>
      fetch(`${post.url}/dev/inbox/removals`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids }),
      })
    for (const [hidden, subjects, mails] of [
      [folded[0], ['left', 'plain', 'News for ada', 'News for ada'], 5],
      [single[0], ['left', 'plain', 'News for ada'], 4],
      [plain.id, ['left', 'News for ada'], 3],
    ] as const) {
      await hide([hidden])
      const page = await post.inbox.list({ fold })
      expect(page.items.map(({ subject }) => subject)).toEqual(subjects)
      expect(page).toMatchObject({ count: subjects.length, mails })
    }
  })
})

/** What a folded list is to have: each mail, but of the mails of a broadcast the first with the number of all. */
function folded(all: readonly ListedMail[]): { id: string; emails: number }[] {
  const sizes = new Map<string, number>()
  const broadcastOf = ({ tags }: ListedMail): string => tags.find((tag) => tag.startsWith('bc_')) ?? ''
  for (const one of all) sizes.set(broadcastOf(one), (sizes.get(broadcastOf(one)) ?? 0) + 1)
  const seen = new Set<string>()
  return all
    .toReversed()
    .filter((one) => {
      const broadcast = broadcastOf(one)
      if (broadcast === '') return true
      return !seen.has(broadcast) && seen.add(broadcast)
    })
    .map((one) => ({ id: one.id, emails: broadcastOf(one) === '' ? 1 : (sizes.get(broadcastOf(one)) ?? 0) }))
    .toReversed()
}

async function assertFolded(post: Localpost, below: (n: number) => number): Promise<void> {
  const all = await post.inbox.list({ limit: 500 })
  const wanted = folded(all.items)
  const rowsOf = (items: readonly ListedMail[]): { id: string; emails: number }[] =>
    items.map(({ id, broadcast }) => ({ id, emails: broadcast?.emails ?? 1 }))
  for (let asked = 0; asked < 4; asked++) {
    const [offset, limit] = [below(wanted.length + 2), 1 + below(8)]
    const page = await post.inbox.list({ fold, offset, limit })
    expect({ ...page, items: rowsOf(page.items) }).toEqual({
      items: wanted.slice(offset, offset + limit),
      count: wanted.length,
      mails: all.count,
      cursor: offset + limit < wanted.length ? wanted[offset + limit - 1]?.id : null,
    })
  }
  const walked: ListedMail[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await post.inbox.list({ fold, limit: 7, ...(cursor !== undefined && { cursor }) })
    walked.push(...page.items)
    cursor = page.cursor
  }
  expect(rowsOf(walked)).toEqual(wanted)
}

/** Sends, sends broadcasts and removes at random; each page of the folded list must be that of the model. */
async function live(post: Localpost, seed: number, steps: number): Promise<void> {
  const next = randomOf(seed)
  const below = (n: number): number => Math.floor(next() * n)
  const audiences = [await audienceOf(post, 'solo'), await audienceOf(post, 'ada', 'bob', 'cy', 'dan', 'eve')]
  for (let step = 0; step < steps; step++) {
    const audience_id = audiences[below(3) === 0 ? 0 : 1] ?? ''
    const { items } = await post.inbox.list({ limit: 500 })
    const one = items[below(items.length)]
    const kind = below(6)
    if (kind < 2) await post.broadcasts.send({ ...mail, audience_id })
    else if (kind < 4 || !one) await submit(post, { subject: `mail ${step}` })
    else if (kind === 4) await post.inbox.remove(one.id)
    else await post.inbox.removeMatching({ ids: items.filter(() => next() < 0.15).map(({ id }) => id) })
    await assertFolded(post, below)
  }
}

describe('the pages of a folded list', () => {
  it.each([1, 2, 3])('are those of a model while mail is sent and removed: seed %i', async (seed) => {
    await live(await start(), seed, 30)
  })

  it('are those of a model, also when the data is opened again', async () => {
    const place = lastingPlace()
    for (const seed of [4, 5]) {
      const post = await start(place)
      await live(post, seed, 20)
      await post.close()
    }
  })

  it('stay right where the oldest mails of a broadcast are deleted because there are too many', async () => {
    const post = await start({ maxEmails: 8 })
    const audience_id = await audienceOf(post, 'ada', 'bob', 'cy', 'dan', 'eve')
    await post.broadcasts.send({ ...mail, audience_id })
    for (let n = 0; n < 5; n++) await submit(post, { subject: `mail ${n}` })
    await expect.poll(async () => (await post.inbox.list()).count).toBe(8)
    const { items, count, mails } = await post.inbox.list({ fold })
    expect({ count, mails }).toEqual({ count: 6, mails: 8 })
    expect(items.at(-1)).toMatchObject({ subject: 'News for cy', broadcast: { emails: 3 } })
  })
})
