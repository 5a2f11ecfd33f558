import { readdirSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nodeFiles } from '../../src/core/node-files.ts'
import { openTextColumn, type TextColumn } from '../../src/search/text-column.ts'
import { rowTerm } from '../../src/search/row-terms.ts'
import { idOf } from '../inbox/_email.ts'
import { faultyFiles, systemError } from '../store/_setup.ts'
import { temporaryFolder } from '../support/folder.ts'

async function hits(column: TextColumn, word: string): Promise<string[]> {
  const found: string[] = []
  await column.scan([rowTerm(word, 'body')], async (rows) => void found.push(...rows.ids()))
  return found
}

const mebibyte = 1024 ** 2
const large = 'x '.repeat(400_000)

/** A folder with rows of an earlier run, in full blocks and after them. */
async function earlier(): Promise<string> {
  const folder = temporaryFolder()
  const column = await openTextColumn(folder)
  for (let n = 1; n <= 4; n++) await column.append(idOf(n), 'head', `${large} body ${n}`)
  await column.close()
  return folder
}

test.each(['ENOSPC', 'EIO', 'EROFS', 'EACCES'])(
  '%s at any call of a start keeps the text in memory, and says so',
  async (code) => {
    for (const isNew of [true, false]) {
      for (let n = 1; ; n++) {
        const folder = isNew ? `${temporaryFolder()}/derived` : await earlier()
        const files = faultyFiles(({ number }) => {
          if (number === n) throw systemError(code)
        })
        const notices: string[] = []
        const column = await openTextColumn(folder, { files, onNotice: (text) => notices.push(text) })
        if (files.calls < n) {
          expect(notices).toEqual([])
          expect(column.rows).toBe(isNew ? 0 : 4)
          await column.close()
          break
        }
        const place = `call ${n}, ${isNew ? 'new' : 'there'}`
        expect(notices, place).toEqual([
          expect.stringMatching(/^The search index cannot be kept in .*E[A-Z]+: injected.*in memory/),
        ])
        expect([column.rows, column.cursor], place).toEqual([0, ''])
        await column.append(idOf(9), 'head', 'needle')
        expect(await hits(column, 'needle'), place).toEqual([idOf(9)])
        await column.close()
        // The fault is gone: the complete part of the folder is used.
        const next = await openTextColumn(folder)
        expect(next.rows, place).toBe(isNew ? 0 : 4)
        await next.close()
      }
    }
  },
)

test('after a full disk at close, the complete rows remain, and close succeeds', async () => {
  for (const call of ['write', 'truncate']) {
    const folder = await earlier()
    const files = faultyFiles(({ name }) => {
      if (name === call) throw systemError('ENOSPC')
    })
    const column = await openTextColumn(folder, { files })
    await column.append(idOf(5), 'head', 'needle')
    await column.close()
    const next = await openTextColumn(folder)
    await next.verify()
    // Everything after the last complete row is read again.
    expect([0, 3, 4, 5]).toContain(next.rows)
    expect(next.cursor).toBe(next.rows === 0 ? '' : idOf(next.rows))
    await next.close()
  }
})

test.each(['ENOSPC', 'EIO', 'EROFS', 'EACCES'])(
  '%s at any call while old rows are dropped loses none, and the next time drops them',
  async (code) => {
    for (let n = 1; ; n++) {
      const folder = await earlier()
      let from = Number.POSITIVE_INFINITY
      const files = faultyFiles(({ number }) => {
        if (number === from) throw systemError(code)
      })
      const column = await openTextColumn(folder, { files })
      from = files.calls + n
      const before = files.calls
      await column.dropBefore(idOf(3)).catch((error: unknown) => expect(String(error)).toContain(code))
      const isOver = files.calls < from
      from = Number.POSITIVE_INFINITY
      for (const row of [3, 4]) expect(await hits(column, `body ${row}`), `call ${n}`).toEqual([idOf(row)])
      await column.dropBefore(idOf(3))
      expect([column.rows, await hits(column, 'body 1')], `call ${n}`).toEqual([2, []])
      expect(readdirSync(folder)).toEqual(['mail-text.5'])
      await column.close()
      if (isOver) {
        expect(files.calls - before).toBeGreaterThan(5)
        break
      }
    }
  },
)

test('text takes no space of an almost full disk, and is found there all the same', async () => {
  const folder = temporaryFolder()
  let free = 64 * mebibyte
  const files = { ...nodeFiles, freeBytes: async () => free }
  const column = await openTextColumn(folder, { files })
  const append = (n: number): Promise<boolean> => column.append(idOf(n), 'head', `${large} body ${n}`)
  const size = (): number => statSync(`${folder}/mail-text.5`).size
  for (let n = 1; n <= 3; n++) await append(n)
  expect(size()).toBe(2 * mebibyte)
  free = 16 * mebibyte
  for (let n = 4; n <= 6; n++) await append(n)
  // Old rows cannot be dropped without a copy.
  await column.dropBefore(idOf(5))
  expect([column.rows, size()]).toEqual([6, 2 * mebibyte])
  for (let n = 1; n <= 6; n++) expect(await hits(column, `body ${n}`)).toEqual([idOf(n)])
  free = 64 * mebibyte
  await append(7)
  expect(size()).toBe(6 * mebibyte)
  free = 0
  await append(8)
  for (let n = 1; n <= 8; n++) expect(await hits(column, `body ${n}`)).toEqual([idOf(n)])
  await column.close()
  const next = await openTextColumn(folder)
  expect([await next.verify(), next.rows, next.cursor]).toEqual(['intact', 6, idOf(6)])
  await next.close()
})

test('at most 64 MiB of text wait for room on the disk', async () => {
  const folder = temporaryFolder()
  const column = await openTextColumn(folder, { files: { ...nodeFiles, freeBytes: async () => 0 } })
  for (let n = 1; n <= 65; n++) await column.append(idOf(n), 'head', large)
  await expect(column.append(idOf(66), 'head', large)).rejects.toThrow('less than 16 MiB of room')
  expect([column.rows, column.cursor]).toEqual([65, idOf(65)])
  await column.close()
})

test('text is kept on a disk that does not say how much is free', async () => {
  const folder = temporaryFolder()
  const freeBytes = (): Promise<number> => Promise.reject(systemError('ENOSYS'))
  const column = await openTextColumn(folder, { files: { ...nodeFiles, freeBytes } })
  for (let n = 1; n <= 3; n++) await column.append(idOf(n), 'head', large)
  await column.close()
  const next = await openTextColumn(folder)
  expect([next.rows, next.wasClosed]).toEqual([3, true])
  await next.close()
})

test('a block that cannot be read while another one is scanned fails the search alone', async () => {
  const folder = await earlier()
  let isFaulty = false
  const files = faultyFiles(({ name }) => {
    if (isFaulty && name === 'read') throw systemError('EIO')
  })
  const column = await openTextColumn(folder, { files })
  // The scan of the last rows takes some turns, and the block before them is read meanwhile.
  for (let n = 5; n <= 5000; n++) await column.append(idOf(n), 'head', 'needle')
  isFaulty = true
  await expect(hits(column, 'needle')).rejects.toThrow('EIO')
  isFaulty = false
  expect((await hits(column, 'needle')).length).toBe(4996)
  await column.close()
})
