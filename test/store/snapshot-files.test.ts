import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { openLogStore } from '../../src/store/disk/open.ts'
import { blobOf, insert } from '../../src/store/store.ts'
import { labels, note, notes } from '../contracts/notes.ts'
import { openIn, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

test('a file that a person edited is accepted, with a notice', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([insert(labels, { id: 'l', title: 'old' })])
  await first.commit([insert(notes, note(1))], [blobOf('n_00001/message', 'kept')])
  await first.close()
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    const text = (await readFile(join(dir, file), 'utf8')).replace(from, to)
    const { crc: _, ...whole } = JSON.parse(text) as Record<string, unknown>
    await writeFile(join(dir, file), JSON.stringify(whole, null, 2))
  }
  await edit('db.json', '"title":"old"', '"title":"new"')
  await edit('notes/000001.json', '"seen":false', '"seen":true')
  const notices: string[] = []
  const second = await openIn(dir, { onNotice: (text) => notices.push(text) })
  expect(notices).toHaveLength(2)
  expect(await second.get(labels, 'l')).toMatchObject({ title: 'new' })
  expect(await second.count(notes, { where: { member: 'seen', equals: true } })).toBe(1)
  expect((await second.readBlob('n_00001/message'))?.toString()).toBe('kept')
  await second.close()
})

test('keys that were written for other indexes are rebuilt', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([insert(notes, note(1)), insert(notes, note(2))])
  await first.close()
  const second = await openLogStore({
    dir,
    clock: systemClock,
    durability: 'process',
    collections: [{ ...notes, indexes: { seen: { on: ['seen', 'id'] } } }, labels],
  })
  const { records } = await second.page(notes, { index: 'seen', prefix: [false] })
  expect(records.map(({ id }) => id)).toEqual(['n_00001', 'n_00002'])
  await second.close()
})

test('a record that is in two files is loaded once', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit(Array.from({ length: 5 }, (_, n) => insert(notes, note(n))))
  await first.close()
  await copyFile(join(dir, 'notes/000001.json'), join(dir, 'notes/000002.json'))
  const second = await openIn(dir)
  const { records } = await second.page(notes)
  expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 5 }, (_, n) => note(n).id))
  await second.close()
  const third = await openIn(dir)
  expect(await third.count(notes)).toBe(5)
  await third.close()
})

test('a file that is no JSON after an edit is refused with the line of the mistake', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([1, 2, 3].map((n) => insert(labels, { id: `l_${n}`, title: `title ${n}` })))
  await first.close()
  const path = join(dir, 'db.json')
  const text = await readFile(path, 'utf8')
  const lines = text.split('\n')
  const line = lines.findIndex((one) => one.includes('l_2')) + 1
  const byte = Buffer.byteLength(lines.slice(0, line - 1).join('\n')) + 1
  for (const wrong of ['oops', '"title" 2', 'title: [']) {
    await writeFile(path, text.replace('"title":"title 2"', wrong))
    await expect(openIn(dir)).rejects.toThrow(
      `${path}:${line}: line ${line} (byte ${byte}) is not valid JSON.`,
    )
  }
})

test('a record that was read is answered although closing its file fails', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([insert(notes, note(1))])
  await first.close()
  let closings = 0
  const closeNow = (fd: number): void => {
    nodeFiles.closeNow(fd)
    closings++
    throw new Error('The disk is gone.')
  }
  const second = await openIn(dir, { files: { ...nodeFiles, closeNow } })
  expect(await second.get(notes, 'n_00001')).toMatchObject({ id: 'n_00001' })
  expect(closings).toBeGreaterThan(0)
  await second.close()
})
