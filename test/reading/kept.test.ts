import { expect, test } from 'vitest'
import { createKeptReadings } from '../../src/reading/kept.ts'

test('a reading is kept until others need its room, and no reader gets that of another one', async () => {
  const kept = createKeptReadings(900)
  const [one, other] = [kept.forReader(), kept.forReader()]
  let reads = 0
  const read = (length: number) => async () => ({ number: ++reads, text: 'x'.repeat(length) })
  expect((await one('a', read(300)))?.number).toBe(1)
  expect((await one('a', read(300)))?.number).toBe(1)
  expect((await other('a', read(300)))?.number).toBe(2)
  // The first of both was used longer ago than this one's.
  await other('b', read(300))
  expect((await other('a', read(300)))?.number).toBe(2)
  expect((await one('a', read(300)))?.number).toBe(4)
})

test('a reading that may not be kept is not copied', async () => {
  const kept = createKeptReadings(1000).forReader()
  let copies = 0
  const read = async (): Promise<{ text: string }> => ({
    get text() {
      copies++
      return 'x'
    },
  })
  await kept('a', read, () => false)
  expect(copies).toBe(0)
  await kept('a', read, () => true)
  expect(copies).toBe(1)
})

test('a caller that changes a reading changes only its own; nothing and what is too long are not kept', async () => {
  const kept = createKeptReadings(1000).forReader()
  for (let n = 0; n < 2; n++) {
    const found = await kept('links', async () => ({ links: ['one'] }))
    expect(found).toEqual({ links: ['one'] })
    found?.links.push('two')
  }
  let reads = 0
  for (const text of [null, 'x'.repeat(600)]) {
    reads = 0
    for (let n = 0; n < 2; n++)
      await kept('again', async () => {
        reads++
        return text
      })
    expect(reads).toBe(2)
  }
})
