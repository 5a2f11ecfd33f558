import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLocalpost, type LocalpostOptions } from '../../src/index.ts'
import { assertDestinations } from '../../src/instance/destinations.ts'
import { resolveOptions } from '../../src/options/options.ts'

// The decision alone: no instance is opened, so that nothing can be connected to.
const decide = (options: LocalpostOptions): void => {
  const config = resolveOptions(options)
  assertDestinations(config, { host: config.host, port: config.smtpPort })
}

const nearby = ['10.0.0.1', '172.16.0.1', '192.168.0.1', '[fc00::1]', '127.0.0.1', '[::1]']
const forTests = ['198.18.0.1', '198.19.255.255', '203.0.113.7', '[2001:db8::1]']
const never = ['169.254.169.254', '168.63.129.16', '[fe80::1]', '224.0.0.1']

const options = (host: string): [option: string, LocalpostOptions][] => [
  ['webhooks[1].url', { webhooks: [{ url: 'http://hooks.test/' }, { url: `https://${host}:3000/` }] }],
  ['relay', { relay: `smtp://ada:secret@${host}:2500` }],
]
const cases = [
  ...nearby.map((host) => ({ host, at: '0.0.0.0', reason: /other machines reach this Localpost/ })),
  ...forTests.map((host) => ({ host, at: '127.0.0.1', reason: /in a range for documentation, tests/ })),
  ...never.map((host) => ({ host, at: '127.0.0.1', reason: /link-local, metadata, multicast or reserved/ })),
].flatMap(({ host, at, reason }) =>
  options(host).map(([option, given]) => ({ option, host, at, reason, given })),
)

describe('an address in an option', () => {
  it.each(cases)('$option at $host is refused when an instance starts at $at', async ({ option, ...one }) => {
    const { host, at, given, reason } = one
    const error: unknown = await createLocalpost({ ...given, host: at }).catch((refusal: unknown) => refusal)
    expect(error).toMatchObject({ code: 'invalid_option', message: expect.stringMatching(reason) })
    expect(String(error)).toContain(`Option "${option}"`)
    expect(String(error)).toContain(host.replace(/[[\]]/g, ''))
    expect(String(error)).not.toContain('secret')
  })

  it('is accepted where deliveries would be', () => {
    for (const host of nearby) {
      const allowOutgoing = [host.replace(/[[\]]/g, '')]
      for (const [, given] of options(host)) {
        decide(given)
        decide({ ...given, host: '0.0.0.0', allowOutgoing })
      }
    }
    for (const [, given] of options('8.8.8.8')) decide({ ...given, host: '0.0.0.0' })
  })

  it('is not looked up where it is a name', () => {
    for (const [, given] of options('hooks.internal')) decide({ ...given, host: '0.0.0.0' })
  })

  it('of an OpenID provider may be in a private network, and nowhere else that webhooks may not', () => {
    const at = (host: string): LocalpostOptions => ({
      host: '0.0.0.0',
      smtpPort: 2525,
      oidc: { issuer: `https://${host}/realms/acme`, clientId: 'localpost' },
    })
    for (const host of [...nearby, '8.8.8.8', 'login.internal']) decide(at(host))
    for (const host of [...forTests, ...never, '127.0.0.1:2525'])
      expect(() => decide(at(host)), host).toThrow(/^Option "oidc\.issuer" may not be connected to: /)
  })

  it('may not be a port of the instance for webhooks, and may for the relay, which the operator names', () => {
    const smtpPort = 2525
    expect(() => decide({ smtpPort, webhooks: [{ url: `http://127.0.0.1:${smtpPort}/` }] })).toThrow(
      /Option "webhooks\[0\]\.url".* is this Localpost itself at port 2525/,
    )
    expect(() => decide({ smtpPort, webhooks: [{ url: `http://localhost:${smtpPort}/` }] })).toThrow(
      /Option "webhooks\[0\]\.url".* localhost is this Localpost itself at port 2525/,
    )
    decide({ smtpPort, relay: `smtp://127.0.0.1:${smtpPort}` })
  })
})

it('listen() is refused on the address of a webhook, and on an address that other machines reach if a webhook may then not be called', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const post = await createLocalpost({ webhooks: [{ url: `http://127.0.0.1:${port}/` }] })
  onTestFinished(() => post.close())
  await expect(post.listen({ port })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(`is this Localpost itself at port ${port}`),
  })
  await expect(post.listen({ host: '0.0.0.0' })).rejects.toThrow(/other machines reach this Localpost/)
  expect(post.url).toBeNull()
  expect((await post.listen()).url).toContain('127.0.0.1')
})
