import { expect, test } from 'vitest'
import { subjectsOf } from '../inbox/_email.ts'
import { lastingPlace } from '../support/adapters.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const attachments = [{ filename: 'a.txt', content: 'abc' }]

test('a search for attachments finds submissions at once, and its negation those without', async () => {
  const post = await start()
  await submit(post, { subject: 'with', attachments })
  await submit(post, { subject: 'without' })
  expect(await subjectsOf(post, 'has:attachment')).toEqual(['with'])
  expect(await subjectsOf(post, '-has:attachment')).toEqual(['without'])
  await submit(post, { subject: 'later', attachments })
  expect(await post.inbox.removeMatching('-has:attachment')).toBe(1)
  expect(await subjectsOf(post, '')).toEqual(['later', 'with'])
})

test('a wait for an attachment ends when the message was read', async () => {
  const post = await start()
  const waiting = post.inbox.waitFor('has:attachment')
  const without = post.inbox.waitFor('-has:attachment')
  await submit(post, { subject: 'with', attachments })
  expect((await waiting).subject).toBe('with')
  await submit(post, { subject: 'without' })
  expect((await without).subject).toBe('without')
})

test('messages that were not read before the end are read after the next start', async () => {
  const place = lastingPlace()
  const first = await start(place)
  await submit(first, { subject: 'with', attachments })
  await first.close()
  const second = await start(place)
  expect((await second.inbox.waitFor('has:attachment')).subject).toBe('with')
})
