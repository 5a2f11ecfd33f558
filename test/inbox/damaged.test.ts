import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import { open, refusalOf, type EmailList } from '../decisions/helpers.ts'
import { temporaryFolder } from '../support/folder.ts'
import { damagedFolder } from './_damaged.ts'

type Call = readonly [method: string, path: string, body?: object]

/** Every route that reads the bytes of one mail. The second attachment is a message with an attachment. */
const reading: readonly Call[] = [
  ['GET', '/v1/emails/:id'],
  ['GET', '/dev/inbox/:id'],
  ['GET', '/dev/inbox/:id/raw'],
  ['GET', '/dev/inbox/:id/html'],
  ['GET', '/dev/inbox/:id/preview?client=gmail/ios'],
  ['GET', '/dev/inbox/:id/attachments/0'],
  ['GET', '/dev/inbox/:id/parts/0'],
  ['GET', '/dev/inbox/:id/checks'],
  ['GET', '/dev/inbox/:id/client-support'],
  ['GET', '/dev/inbox/:id/structure'],
  ['GET', '/dev/inbox/:id/compare/:other'],
  ['GET', '/dev/inbox/:id/messages/1'],
  ['GET', '/dev/inbox/:id/messages/1/html'],
  ['GET', '/dev/inbox/:id/messages/1/attachments/0'],
  ['POST', '/dev/inbox/:id/reply', { text: 'Hi' }],
  ['POST', '/dev/inbox/:id/release', { to: 'bob@example.com' }],
]

/** Every route that does not. */
const others: readonly Call[] = [
  ['GET', '/v1/emails'],
  ['GET', '/dev/inbox'],
  ['GET', '/dev/inbox?query=By'],
  ['PATCH', '/dev/inbox/:id', { unread: false }],
  ['DELETE', '/dev/inbox/:id'],
]

/** A route as the OpenAPI document writes it. */
const documented = ([method, path]: Call): string =>
  `${method} ${path
    .replace(/\?.*/, '')
    .replace(/:(\w+)/g, '{$1}')
    .replace('/messages/1', '/messages/{path}')
    .replace(/\/0$/, '/{index}')}`

/** The path of a route for a mail. */
const pathOf = (path: string, id: string, other: string): string =>
  path.replace(':id', id).replace(':other', other)

it('the OpenAPI document names store_corrupt for the routes that read bytes, and store_unknown for those that write', async () => {
  const face = await open({})
  const { paths } = await face.get<{
    paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>
  }>('/dev/openapi.json')
  const naming = (code: string): string[] =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.values(responses).some(({ description }) => description.includes(`\`${code}\`:`))
          ? [`${method.toUpperCase()} ${path}`]
          : [],
      ),
    )
  expect(naming('store_corrupt').sort()).toEqual(reading.map(documented).sort())
  const writing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) => (method === 'get' ? [] : [`${method.toUpperCase()} ${path}`])),
  )
  for (const code of ['store_full', 'store_failed', 'store_read_only', 'store_unknown'])
    expect(naming(code)).toEqual(expect.arrayContaining(writing))
})

it(
  'a damaged mail is store_corrupt wherever its bytes are read, and nowhere else',
  { timeout: 60_000 },
  async () => {
    const { dir, whole, smtp, api } = await damagedFolder()
    const relay = await createLocalpost()
    onTestFinished(() => relay.close())
    await relay.listen()
    const face = await open({ dir, relay: `smtp://127.0.0.1:${relay.smtp.port}` })
    const { emails } = await face.get<EmailList>('/v1/emails')
    expect(emails.map(({ id }) => id)).toEqual([api, smtp, whole])
    for (const id of [smtp, api]) {
      for (const [method, path, body] of reading) {
        const refused = await refusalOf(await face.call(method, pathOf(path, id, whole), { body }))
        expect(refused, path).toMatchObject({ status: 500, name: 'store_corrupt' })
        expect(refused.message).toMatch(/\d{6}\.log:\d+: the \d+ bytes/)
      }
    }
    for (const [method, path, body] of reading)
      expect((await face.call(method, pathOf(path, whole, whole), { body })).status, path).toBe(200)
    for (const id of [smtp, api, whole])
      for (const [method, path, body] of others)
        expect((await face.call(method, path.replace(':id', id), { body })).status, path).toBe(200)
  },
)

it('an archive leaves damaged mails out, continues with the others, and lists what is missing', async () => {
  const { dir, whole, smtp, api } = await damagedFolder()
  const face = await open({ dir })
  const archive = await face.call('GET', '/dev/inbox/export')
  const files = unzipSync(new Uint8Array(await archive.arrayBuffer()))
  expect(Object.keys(files)).toEqual([`${whole}-Whole.eml`, 'errors.txt'])
  const raw = await face.call('GET', `/dev/inbox/${whole}/raw`)
  expect(Buffer.from(files[`${whole}-Whole.eml`] ?? [])).toEqual(Buffer.from(await raw.arrayBuffer()))
  const lines = Buffer.from(files['errors.txt'] ?? [])
    .toString()
    .trimEnd()
    .split('\n')
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^${api}-By-API\\.eml: store_corrupt: .*\\.log:\\d+: the \\d+ bytes`)),
    expect.stringMatching(new RegExp(`^${smtp}-By-SMTP\\.eml: store_corrupt: `)),
  ])
})

/** A folder with three large mails, of which the second is damaged near its end. */
async function largeDamagedFolder(): Promise<{ dir: string; ids: string[] }> {
  const dir = temporaryFolder()
  const face = await open({ dir })
  const text = `${'0123456789abcdef'.repeat(4)}\n`.repeat(40_000)
  const ids: string[] = []
  for (const subject of ['One', 'Two', 'Three'])
    ids.push(await face.submit({ from: 'hi@acme.test', to: 'ada@example.com', subject, text }))
  await face.post.close()
  const larges = join(dir, 'large')
  // Names hold ids that grow: the second one is the second message.
  const rotten = (await readdir(larges)).sort()[1] ?? ''
  const bytes = await readFile(join(larges, rotten))
  bytes[bytes.length - 500] = 0x21
  await writeFile(join(larges, rotten), bytes)
  return { dir, ids }
}

it('a large damaged message is store_corrupt on every route that reads it, with a range too', async () => {
  const { dir, ids } = await largeDamagedFolder()
  const face = await open({ dir })
  const path = `/dev/inbox/${ids[1]}/raw`
  const answers = [
    ...reading
      .filter(([method]) => method === 'GET')
      .map(([method, route]) => face.call(method, pathOf(route, ids[1] ?? '', ids[0] ?? ''))),
    ...['bytes=0-99', 'bytes=-100'].map((range) => face.call('GET', path, { headers: { range } })),
  ]
  for (const answer of answers)
    expect(await refusalOf(await answer)).toMatchObject({ status: 500, name: 'store_corrupt' })
  expect((await face.call('GET', `/dev/inbox/${ids[0]}/raw`)).status).toBe(200)
})

it('a large damaged message is not in the archive, not even in part', async () => {
  const { dir, ids } = await largeDamagedFolder()
  const again = await open({ dir })
  const files = unzipSync(new Uint8Array(await (await again.call('GET', '/dev/inbox/export')).arrayBuffer()))
  expect(Object.keys(files)).toEqual([`${ids[2]}-Three.eml`, `${ids[0]}-One.eml`, 'errors.txt'])
})
