import { chmod, chown, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insert } from '../../src/store/store.ts'
import { labels, note, notes } from '../contracts/notes.ts'
import { faultyFiles, inspect, mortal, openAfterKill, openIn, systemError, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

async function refusal(dir: string): Promise<{ code: string; message: string }> {
  const error: unknown = await openIn(dir).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: expect.any(String) as unknown })
  return error as { code: string; message: string }
}

test.runIf(process.platform === 'linux')(
  'a path where the system allows no folder is an error, not an endless wait',
  async () => {
    for (const dir of ['/proc/localpost', '/proc/localpost/data'])
      expect(await refusal(dir)).toMatchObject({
        code: 'store_failed',
        message: expect.stringMatching(
          new RegExp(`The folder ${dir} cannot be made: .* Choose another path`),
        ) as unknown,
      })
  },
)

test('a file instead of a folder is refused, anywhere in the path', async () => {
  const dir = await tempFolder()
  const file = join(dir, 'file')
  await writeFile(file, 'mine')
  expect(await refusal(file)).toMatchObject({
    code: 'invalid_option',
    message: `${file} is a file, not a folder. Choose another path for the data folder.`,
  })
  expect(await refusal(join(file, 'data'))).toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('a part of its path is no folder') as unknown,
  })
  await symlink(join(dir, 'nowhere'), join(dir, 'link'))
  expect((await refusal(join(dir, 'link'))).code).toBe('invalid_option')
  expect((await inspect(file)).findings).toEqual([
    expect.objectContaining({ level: 'problem', message: `${file} is a file, not a folder.` }),
  ])
})

test.each([
  [['photo.jpg'], 'holds "photo.jpg", and no'],
  [['b', 'a', '.git'], 'holds "a" and 1 more, and no'],
  [['log/', 'log/app.log'], 'app.log", and no'],
])('a folder of another program, with %j, is refused and left unchanged', async (names, said) => {
  const dir = await tempFolder()
  for (const name of names)
    await (name.endsWith('/') ? mkdir(join(dir, name)) : writeFile(join(dir, name), 'mine'))
  const before = await readdir(dir, { recursive: true })
  expect(await refusal(dir)).toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(`${said} data of Localpost. Choose an empty or a new folder`) as unknown,
  })
  expect(await readdir(dir, { recursive: true })).toEqual(before)
  expect((await inspect(dir)).healthy).toBe(false)
})

test.each([['.gitkeep'], ['.gitignore'], ['lost+found']])(
  'a folder with nothing but %s is taken',
  async (name) => {
    const dir = await tempFolder()
    await writeFile(join(dir, name), '')
    expect((await inspect(dir)).healthy).toBe(true)
    const store = await openIn(dir)
    await store.commit([insert(notes, note(1))])
    await store.close()
    // Files that others add later are ignored.
    await writeFile(join(dir, 'notes.txt'), 'mine')
    await (await openIn(dir)).close()
  },
)

test('a closed store says so with the message of its instance', async () => {
  const store = await openIn(await tempFolder())
  await store.close()
  await expect(store.get(labels, 'l')).rejects.toMatchObject({
    code: 'closed',
    message: 'This instance is closed; create a new one.',
  })
})

test('nothing is created next to a db.json of another program', async () => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'db.json'), '{"mine":1}')
  expect(await refusal(dir)).toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining(join(dir, 'db.json')) as unknown,
  })
  expect(await readdir(dir)).toEqual(['db.json'])
})

test('a first start that fails at any call leaves a folder that the next one accepts', async () => {
  for (let n = 1; ; n++) {
    const dir = join(await tempFolder(), 'a', 'b')
    const files = faultyFiles(({ number }) => {
      if (number >= n) throw systemError('EIO')
    })
    const opened = await openIn(dir, { ...mortal, files }).catch(() => null)
    const isWhole = opened !== null && files.calls < n
    await opened?.close().catch(() => {})
    await (await openAfterKill(dir)).close()
    if (isWhole) break
  }
})

test.runIf(process.platform !== 'win32')(
  'a folder that others may write to is refused, untouched',
  async () => {
    for (const mode of [0o777, 0o1777, 0o770, 0o702, 0o720]) {
      const dir = await tempFolder()
      await chmod(dir, mode)
      expect(await refusal(dir)).toMatchObject({
        code: 'invalid_option',
        message: expect.stringContaining(`Run \`chmod go-w ${dir}\``) as unknown,
      })
      expect(await readdir(dir)).toEqual([])
      await chmod(dir, mode & ~0o022)
      await (await openIn(dir)).close()
    }
  },
)

test.runIf(process.getuid?.() === 0)('a folder of another user is refused, unchanged', async () => {
  const dir = await tempFolder()
  await chown(dir, 12_345, 12_345)
  const { code, message } = await refusal(dir)
  expect(code).toBe('invalid_option')
  expect(message).toMatch(/belongs to user 12345, and Localpost runs as user 0\. Run `chown -R 0 /)
  expect(await readdir(dir)).toEqual([])
})

test.runIf(process.platform !== 'win32')(
  'a file that is created again is never written through a link',
  async () => {
    const dir = await tempFolder()
    const victim = join(await tempFolder(), 'victim')
    await writeFile(victim, 'mine')
    await (await openIn(dir)).close()
    for (const name of ['checkpoint.json.tmp', 'db.json.tmp']) await symlink(victim, join(dir, name))
    const store = await openIn(dir)
    await store.commit([insert(notes, note(1))])
    await store.close()
    expect(await readFile(victim, 'utf8')).toBe('mine')
    expect((await lstat(join(dir, 'checkpoint.json'))).isSymbolicLink()).toBe(false)
    const fd = await nodeFiles.open(join(dir, 'new'), 'w')
    await nodeFiles.close(fd)
    await symlink(victim, join(dir, 'link'))
    await nodeFiles.close(await nodeFiles.open(join(dir, 'link'), 'w+'))
    expect(await readFile(victim, 'utf8')).toBe('mine')
  },
)

test.each(['log', 'large', 'derived', 'lock', 'reserve', 'schema', 'seq', 'indexes', 'ids', 'crc'])(
  'no collection is named %s, which is a name of the store itself',
  async (name) => {
    const dir = await tempFolder()
    await expect(openIn(dir, { collections: [{ ...labels, name }] })).rejects.toMatchObject({
      code: 'internal_error',
    })
  },
)
