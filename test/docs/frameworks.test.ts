import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { renderFrameworksGuide } from '../../scripts/frameworks-guide.ts'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import { httpClients, smtpClients } from '../../ui/views/connect/clients.ts'
import { type Client, lines, type Place } from '../../ui/views/connect/place.ts'
import { isLong } from '../support/long.ts'
import { runClient, runners, temporaryFolder } from './_clients.ts'

// A key with every character that one of the languages could take for its own.
const key = `lp_"'\\$#{}%&|<>;!*?\`~^@:/`
const kinds: readonly Place['tls'][] = ['none', 'starttls', 'implicit', 'refused']
const folder = temporaryFolder()
const caFile = join(folder.path, "the user's ca.pem")
let plain: Localpost
/** It offers both kinds of TLS, and requires a login. */
let secure: Localpost

beforeAll(async () => {
  const tls = { smtpTls: true, smtpsPort: 0, smtpAuth: 'required' } as const
  ;[plain, secure] = await Promise.all([
    createLocalpost({ apiKeys: [key] }),
    createLocalpost({ apiKeys: [key], ...tls }),
  ])
  await Promise.all([plain.listen(), secure.listen()])
  writeFileSync(caFile, secure.smtp.tls?.ca ?? '')
})
beforeEach(() => Promise.all([plain.reset(), secure.reset()]))
afterAll(async () => {
  await Promise.all([plain.close(), secure.close()])
  folder.remove()
})

function placeOf(tls: Place['tls']): { post: Localpost; place: Place } {
  const post = tls === 'none' ? plain : secure
  const { host, port } = tls === 'implicit' && post.smtps ? post.smtps : post.smtp
  const login = tls === 'none' ? null : { user: 'app', password: key }
  return { post, place: { base: post.url ?? '', host, port, key, login, tls, ca: caFile } }
}

// One client with every kind; the series in full has every client with each.
const cases = [
  ...httpClients.map((client) => [client.name, 'none', client] as const),
  ...smtpClients.flatMap((client) =>
    kinds
      .filter((tls) => isLong || tls === 'starttls' || client.language === 'js')
      .map((tls) => [client.name, tls, client] as const),
  ),
].filter(([name]) => runners[name] !== undefined)

it.for<readonly [string, Place['tls'], Client]>(cases)(
  '%s sends a mail, TLS: %s',
  { timeout: 120_000 },
  async ([name, tls, client], { skip }) => {
    const runner = runners[name]
    const why = await runner?.lack(tls)
    if (!runner || typeof why === 'string') return skip(why ?? '')
    const { post, place } = placeOf(tls)
    const { status, stdout, stderr } = await runClient(runner, client.code(place), caFile)
    expect({ status, stderr }, stdout).toMatchObject({ status: 0 })
    await post.inbox.waitFor({ to: 'ada@example.com', from: 'app@acme.test' })
    if (client.notes === null) return
    const [session] = (await post.smtpSessions.list()).items
    expect([session?.secure, session?.user]).toEqual([
      tls === 'starttls' || tls === 'implicit',
      place.login?.user ?? null,
    ])
  },
)

it.each(smtpClients.map((client) => [client.name, client] as const))(
  'what the notes of %s quote is in its code',
  (_, { code, notes }) => {
    const login = { user: 'app', password: 'key' }
    const place = { base: '', host: '127.0.0.1', port: 1025, key: '', login, ca: 'ca.pem' }
    const all = lines(
      ...kinds.flatMap((tls) => [code({ ...place, tls }), code({ ...place, tls, login: null })]),
    )
    const said = `${notes?.implicit} ${notes?.refused}`
    const quoted = [...said.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
    expect(quoted.filter((text) => !all.includes(text))).toEqual([])
  },
)

it('docs/guides/frameworks.md has the code of the table; `npm run docs` writes it', async () => {
  await expect(renderFrameworksGuide()).toMatchFileSnapshot('../../docs/guides/frameworks.md')
})
