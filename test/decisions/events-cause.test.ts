import { expect, it } from 'vitest'
import { startRetrying } from '../support/instance.ts'

it.each([
  ['ada@example.com', [{ kind: 'rule', match: '*@example.com', action: 'reject' }]],
  ['bounce@simulator.localpost', [{ kind: 'simulator' }]],
  ['complaint@simulator.localpost', [{ kind: 'simulator' }]],
  ['ada@accepted.test', []],
])(
  'events.cause: the events of %s name what caused them in the inbox, and not in /v1',
  async (to, expected) => {
    const post = await startRetrying({
      rules: [{ match: '*@example.com', action: 'reject', code: 550 }],
    })
    const { id } = await post.emails.send({
      from: 'hi@acme.test',
      to,
      subject: 'x',
      text: 'x',
    })
    await expect.poll(async () => (await post.inbox.get(id)).last_event.status).not.toBe('sent')
    const { recipients } = await post.inbox.get(id)
    const causes = recipients.flatMap(({ events }) =>
      events.flatMap((event) => ('cause' in event && event.cause ? [event.cause] : [])),
    )
    expect(causes).toEqual(expected)
    const headers = { authorization: `Bearer ${post.apiKey}` }
    const answer = await post.fetch(new Request(`http://localhost/v1/emails/${id}`, { headers }))
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).toContain(id)
    expect(text).not.toContain('"cause"')
  },
)
