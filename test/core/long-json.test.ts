import { expect, it } from 'vitest'
import { longJson, readLongJson } from '../../src/core/long-json.ts'
import { start } from '../support/instance.ts'

const long = 'x'.repeat(300_000)

it.each<[string, unknown]>([
  ['a string', long],
  ['text that is escaped', '"\\\n\u0000\u2028é'.repeat(60_000)],
  ['pairs of surrogates at every cut', `a${'😀'.repeat(300_000)}`],
  ['lone surrogates', '\ud83d'.repeat(300_000)],
  ['members beside a long one', { a: 1, b: undefined, c: null, d: [undefined, true], html: long, e: {} }],
  ['an object whose first member is left out', { a: undefined, html: long }],
  ['many short items', Array.from({ length: 60_000 }, (_, i) => [`name ${i}`, { i }])],
  ['a long name', { [long]: long }],
])('writes %s as JSON.stringify does, in short chunks', async (_, value) => {
  const json = longJson(value)
  if (!json) throw new Error('is not long')
  const pieces = [...json.pieces()]
  // A member name is one chunk.
  expect(pieces.filter((piece) => piece.length > 400_000).length).toBeLessThanOrEqual(1)
  const whole = JSON.stringify(value)
  expect(pieces.join('') === whole).toBe(true)
  expect(Buffer.concat(await readLongJson(json).toArray()).equals(Buffer.from(whole))).toBe(true)
})

it.each<[string, unknown]>([
  ['what an app is answered', { id: 'em_1' }],
  ['a page of a list', Array.from({ length: 50 }, (_, i) => ({ id: i, subject: 'x'.repeat(1000) }))],
  ['nothing', undefined],
])('leaves %s to JSON.stringify', (_, value) => {
  expect(longJson(value)).toBeNull()
})

it('answers a long mail in full to an app, the log and a terminal, and without a body to HEAD', async () => {
  const post = await start()
  const text = 'line of text "with" é\n'.repeat(40_000)
  const { id } = await post.emails.send({ from: 'a@acme.test', to: 'b@example.com', subject: 's', text })
  const url = `http://localpost/v1/emails/${id}`
  const authorization = `Bearer ${post.apiKey}`
  const answer = await post.fetch(new Request(url, { headers: { authorization } }))
  expect(((await answer.json()) as { text: string }).text === text).toBe(true)
  const logged = await post.fetch(new Request('http://localpost/dev/requests'))
  const { requests } = (await logged.json()) as { requests: { response_body: string }[] }
  expect(requests[0]?.response_body).toHaveLength(16 * 1024)
  expect(requests[0]?.response_body).toMatch(new RegExp(`^\\{"id":"${id}"`))
  const curl = { authorization, 'user-agent': 'curl/8.0', accept: '*/*' }
  const shown = await post.fetch(new Request(url, { headers: curl }))
  expect((await shown.text()).slice(-2)).toBe('}\n')
  const head = await post.fetch(new Request(url, { method: 'HEAD', headers: { authorization } }))
  expect([head.status, await head.text()]).toEqual([200, ''])
})
