import { expect, it } from 'vitest'
import { refusalOf, shared } from './helpers.ts'

const face = shared()
const mail = { from: 'a@acme.test', to: 'b@example.com', subject: 'Hi', text: 'Hello' }

it('access.scopes: a key of scope send only sends, one of scope read only reads', async () => {
  const made = async (scope: string): Promise<string> => {
    const answer = await face().call('POST', '/dev/keys', { body: { scope } })
    return ((await answer.json()) as { value: string }).value
  }
  const [send, read] = [await made('send'), await made('read')]
  expect((await face().call('POST', '/v1/emails', { body: mail, key: send })).status).toBe(200)
  expect((await face().call('GET', '/v1/emails', { key: read })).status).toBe(200)
  expect((await face().call('GET', '/dev/inbox', { key: read })).status).toBe(200)
  const refused = [
    await face().call('POST', '/v1/emails', { raw: 'not JSON', key: read }),
    await face().call('GET', '/v1/emails', { key: send }),
    await face().call('GET', '/dev/inbox', { key: send }),
    await face().call('DELETE', '/dev/inbox?all=true', { key: read }),
  ]
  for (const answer of refused)
    expect(await refusalOf(answer)).toMatchObject({ status: 403, name: 'insufficient_scope' })
})
