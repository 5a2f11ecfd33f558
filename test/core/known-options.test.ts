import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createClock, createLocalpost, fixedClock, type LocalpostOptions } from '../../src/index.ts'
import { suggest } from '../../src/core/suggest.ts'
import { startForTest, useLocalpost, type TestHooks } from '../../src/testing/index.ts'
import { createTest } from '../../src/vitest/index.ts'
import { goodMail } from '../support/mail.ts'

// As called from JavaScript, where no compiler checks it.
const slip = (name: string, value: unknown): object => ({ [name]: value })

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

it('refuses a misspelt option of a call before anything happens', async () => {
  await using post = await createLocalpost()
  await post.domains.create({ name: 'acme.test' })
  const { inbox, emails, domains, audiences } = post
  const [{ id = '' } = {}] = (await domains.list()).items
  const client = createClient({ url: 'http://localpost', apiKey: post.apiKey, fetch: post.fetch })
  const slips: [call: () => Promise<unknown>, said: string][] = [
    [() => post.reset(slip('keeep', ['domains'])), 'Unknown option "keeep" of reset(). Did you mean "keep"?'],
    [() => post.reset(slip('keep', ['domain'])), 'Option "keep" has "domain". Did you mean "domains"?'],
    [() => post.reset(slip('keep', 'domains')), 'Option "keep" is "domains"; it takes an array of emails,'],
    [() => post.listen(slip('prot', 8025)), 'Unknown option "prot" of listen(). Did you mean "port"?'],
    [() => post.listen(slip('port', '8025x')), 'Option "port" is "8025x"; it takes a port from 0 to 65535.'],
    [
      () => Reflect.apply(post.listen, post, [8025]),
      'The options of listen() are an object with some of port,',
    ],
    [() => inbox.waitFor('x', slip('timeout', 5)), 'Unknown option "timeout" of waitFor()'],
    [() => inbox.waitFor('x', { timeoutMs: Number.NaN }), 'Option "timeoutMs" takes milliseconds from 0'],
    [
      () => inbox.waitForCount('x', 1, { timeoutMs: -1 }),
      'Option "timeoutMs" takes milliseconds from 0, not -1',
    ],
    [() => inbox.expectNone('x', { timeoutMs: -1 }), 'Option "timeoutMs" takes milliseconds from 0, not -1'],
    [
      () => inbox.waitFor(slip('subjekt', 'x')),
      '"subjekt" is not a member of a query. Did you mean subject?',
    ],
    [() => inbox.list(slip('limt', 1)), 'Unknown option "limt" of inbox.list(). Did you mean "limit"?'],
    [() => inbox.raw(id, slip('recipent', 'x')), 'Unknown option "recipent" of inbox.raw()'],
    [() => inbox.html(id, slip('recipent', 'x')), 'Unknown option "recipent" of inbox.html()'],
    [() => inbox.update(id, slip('unraed', true)), 'unraed: is not known; did you mean unread?'],
    [() => inbox.updateMatching('x', slip('tagz', [])), 'tagz: is not known; did you mean tags?'],
    [() => inbox.removeMatching(slip('idz', []) as { ids: [] }), 'Unknown option "idz" of a selection.'],
    [() => inbox.reply(id, slip('txt', 'x')), 'has unknown members: txt (did you mean text?)'],
    [() => inbox.reply(id, { text: 'x' }, slip('signl', null)), 'Unknown option "signl" of inbox.reply()'],
    [() => inbox.release(id, slip('too', 'x') as { to: string }), 'Unknown option "too" of inbox.release().'],
    [() => emails.send(hello, slip('idempotencykey', 'x')), 'Did you mean "idempotencyKey"?'],
    [() => emails.list(slip('curser', 'x')), 'Unknown option "curser" of a list. Did you mean "cursor"?'],
    [() => domains.verify(id, slip('staus', 'SUCCESS')), 'has unknown members: staus (did you mean status?)'],
    [() => domains.update(id, slip('open_tracking', true)), 'has unknown members: open_tracking'],
    [() => audiences.contacts.import('aud_x', '', slip('dryrun', true)), 'Did you mean "dryRun"?'],
    [() => post.webhooks.create(slip('ulr', 'x') as { url: string }), 'url: is missing'],
    [() => client.emails.send(hello, slip('idempotencykey', 'x')), 'Did you mean "idempotencyKey"?'],
    [() => client.emails.list(slip('limit', 1)), 'Unknown option "limit" of a list. Known: cursor, signal.'],
    [
      () => client.domains.get(id, slip('singal', 1)),
      'Unknown option "singal" of a call. Did you mean "signal"?',
    ],
    [() => Reflect.apply(client.emails.send, client, []), 'body: must be an object, not undefined'],
    [() => startForTest(slip('strcit', true)), 'Unknown option "strcit". Did you mean "strict"?'],
    [() => createLocalpost(slip('limits', { pendingByte: 1 })), 'Did you mean "limits.pendingBytes"?'],
    [
      () => createLocalpost(slip('rateLimit', { requests: 1, perMs: 1, perMss: 1 })),
      'Unknown option "perMss" of rateLimit. Did you mean "perMs"?',
    ],
    [() => createLocalpost({ smtpTls: { key: 'x', cert: 'y' } }), 'Option "smtpTls" takes true, false or'],
    ...[null, 5, 'strict', []].map((given): (typeof slips)[number] => [
      () => createLocalpost(given as LocalpostOptions),
      'The options of an instance are an object such as { strict: true }, not ',
    ]),
  ]
  for (const [call, said] of slips) await expect(call(), said).rejects.toThrow(said)
  expect(post.url).toBeNull()
  expect((await domains.list()).count).toBe(1)
  expect((await emails.list()).count).toBe(0)
})

it.each<[call: () => unknown, said: string]>([
  [() => createClock(slip('nwo', 0)), 'Unknown option "nwo" of createClock(). Did you mean "now"?'],
  [
    () => Reflect.apply(createClock, null, ['2026-01-01']),
    'The options of createClock() are an object with some of now,',
  ],
  [() => Reflect.apply(fixedClock, null, []), 'A clock starts at'],
  [() => createTest(slip('scpe', 'file')), 'Unknown option "scpe" of createTest(). Did you mean "scope"?'],
  [() => createTest(slip('strict', true)), 'Unknown option "strict" of createTest(). Known: scope, options.'],
  [
    () => createTest(slip('scope', 'fiel')),
    'Option "scope" of createTest() is "fiel"; it takes "test", "file"',
  ],
  [() => createClient(slip('ulr', 'x') as never), 'Unknown option "ulr" of a client. Did you mean "url"?'],
  [() => createClient({ url: 'http://localhost:8025/v1/', apiKey: 'x' }), 'without the /v1 that follows it'],
  [() => Reflect.apply(createClient, null, []), 'The options of a client are an object with url and apiKey.'],
  [
    () => useLocalpost({ beforeEach: () => {}, aftereach: () => {} } as unknown as TestHooks),
    'useLocalpost() needs afterEach, a hook of the framework, as in useLocalpost({ beforeEach, afterEach }). It was given aftereach.',
  ],
  [() => Reflect.apply(useLocalpost, null, []), 'useLocalpost() needs beforeEach'],
])('refuses a misspelt option of a constructor: %s', (call, said) => {
  expect(call).toThrow(said)
})

it.each([[], /x/, new Map(), new Set(), new Date(), Promise.resolve(), 5, 'x', null, () => 1])(
  'refuses options that are no plain object: %o',
  async (given) => {
    await using post = await createLocalpost()
    await expect(Reflect.apply(post.inbox.list, post.inbox, [given])).rejects.toThrow(
      'The options of inbox.list() are an object',
    )
  },
)

it('takes options of another realm', async () => {
  await using post = await createLocalpost()
  expect(await post.inbox.list(runInNewContext('({ limit: 1 })') as { limit: number })).toMatchObject({
    count: 0,
  })
})

it.each([{ to: 'ada@example.com' }, /x/, 'ada'])('removeAll() refuses an argument: %o', async (given) => {
  await using post = await createLocalpost()
  await post.inbox.import(Buffer.from('Subject: x\r\n\r\nx'))
  await expect(Reflect.apply(post.inbox.removeAll, post.inbox, [given])).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(
      /^inbox\.removeAll\(\) takes no arguments, not .*inbox\.removeMatching\(query\) removes/,
    ),
  })
  expect((await post.inbox.list()).count).toBe(1)
})

it('finds the closest name by its last word too', () => {
  expect(suggest('prot', ['smtpHost', 'smtpPort', 'dir'])).toBe('smtpPort')
  expect(suggest('prot', ['smtpPort', 'port'])).toBe('port')
  expect(suggest('timeout', ['maxAgeMs', 'after'])).toBeUndefined()
})
