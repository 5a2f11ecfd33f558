import type { lookup } from 'node:dns'
import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import { createOutgoing } from '../../src/net/outgoing.ts'
import { start } from '../support/instance.ts'
import { openNoun } from './_noun.ts'

const noLookup = (() => expect.fail('A name was looked up.')) as unknown as typeof lookup
const listening = (host: string, allow: readonly string[] = []): ReturnType<typeof createOutgoing> => {
  const outgoing = createOutgoing(allow, ['Mail.acme.test'])
  outgoing.opened({ host, port: 8025 })
  return outgoing
}
const refusedAt = async (host: string, url: string, allow: readonly string[] = []): Promise<unknown> => {
  const { problemOf } = listening(host, allow)
  const { webhooks } = await openNoun({ problemOf, lookup: noLookup })
  return webhooks.create({ url }).then(
    () => null,
    (error: unknown) => error,
  )
}
const refusal = (message: string): unknown =>
  expect.objectContaining({
    code: 'validation_error',
    errors: [{ field: 'url', message: expect.stringContaining(message) as string }],
  })

// No event happens in these tests, so that nothing is delivered.
it.each([
  ['its own port', 'http://127.0.0.1:8025/', 'is this Localpost itself at port 8025'],
  ['its own port, in another form', 'http://0x7f.1:8025/', 'is this Localpost itself at port 8025'],
  ['its own port, as a mapped address', 'http://[::ffff:7f00:1]:8025/', 'is this Localpost itself'],
  ['a range for tests', 'http://198.18.0.1/', 'is in a range for documentation, tests or tunnels'],
  ['the end of it', 'https://198.19.255.255/', 'is in a range for documentation, tests or tunnels'],
  ['a range for documentation', 'http://[2001:db8::1]/', 'is in a range for documentation'],
  ['a metadata service', 'http://169.254.169.254/', 'is a link-local, metadata, multicast or reserved'],
])('a webhook to %s is refused when it is made', async (_, url, message) => {
  expect(await refusedAt('127.0.0.1', url)).toEqual(refusal(message))
})

it.each(['10.0.0.1', '172.16.0.1', '192.168.0.1', '[fc00::1]', '127.0.0.1', '[::1]'])(
  'a webhook to %s is refused where other machines reach the instance',
  async (host) => {
    const refused = refusal('other machines reach this Localpost; allow it with `allowOutgoing`')
    expect(await refusedAt('0.0.0.0', `http://${host}:3000/`)).toEqual(refused)
    expect(await refusedAt('127.0.0.1', `http://${host}:3000/`)).toBeNull()
    expect(await refusedAt('0.0.0.0', `http://${host}:3000/`, [host.replace(/[[\]]/g, '')])).toBeNull()
  },
)

it('a webhook to a name is made: it is looked up and checked when it is called', async () => {
  expect(await refusedAt('0.0.0.0', 'http://hooks.internal:8025/')).toBeNull()
  expect(await refusedAt('127.0.0.1', 'http://localhost:3000/')).toBeNull()
})

it.each(['localhost', 'LocalHost.', 'app.localhost', 'mail.acme.test', hostname()])(
  'a webhook to the instance’s own port at the name %s is refused when it is made',
  async (name) => {
    const own = refusal('is this Localpost itself at port 8025')
    for (const host of ['127.0.0.1', '0.0.0.0', 'localhost'])
      expect(await refusedAt(host, `http://${name}:8025/hook`)).toEqual(own)
    if (!/localhost/i.test(name)) expect(await refusedAt('0.0.0.0', `http://${name}:3000/`)).toBeNull()
  },
)

it('a webhook to a loopback name is refused where other machines reach the instance', async () => {
  const refused = refusal('other machines reach this Localpost; allow it with `allowOutgoing`')
  expect(await refusedAt('0.0.0.0', 'http://localhost:3000/')).toEqual(refused)
  expect(await refusedAt('0.0.0.0', 'http://localhost:3000/', ['localhost'])).toBeNull()
})

it('a webhook to any of the instance’s own ports is refused over HTTP, at each loopback name and address', async () => {
  const post = await start()
  const { url } = await post.listen()
  const ports = [new URL(url).port, String(post.smtp?.port)]
  for (const port of ports) {
    for (const host of ['localhost', '127.0.0.1', '127.1']) {
      const error: unknown = await post.webhooks
        .create({ url: `http://${host}:${port}/` })
        .catch((refused: unknown) => refused)
      expect(error, `${host}:${port}`).toEqual(refusal(`is this Localpost itself at port ${port}`))
    }
  }
  expect((await post.webhooks.list()).items).toEqual([])
})
