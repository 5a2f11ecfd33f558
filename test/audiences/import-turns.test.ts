import { expect, test } from 'vitest'
import { type ContactRow, readContactRows } from '../../src/audiences/contact-rows.ts'

test('thousands of invalid contacts in an array do not block the event loop', async () => {
  const { rows, turns } = await countTurns(Array(5000).fill(5))
  expect(rows.filter((row) => 'message' in row)).toHaveLength(5000)
  expect(turns).toBeGreaterThan(3)
})

test('a quoted cell of many lines does not block the event loop, closed or not', async () => {
  const cell = `${'x'.repeat(60)}\n`.repeat(50_000)
  for (const end of ['"\n', '']) {
    const { rows, turns } = await countTurns(`email,other\nada@example.com,"${cell}${end}`)
    expect(rows).toMatchObject([{ line: 2 }])
    expect(turns).toBeGreaterThan(20)
  }
})

/** The rows, and how often other work could run while they were read. */
async function countTurns(source: unknown): Promise<{ rows: ContactRow[]; turns: number }> {
  let turns = 0
  let isDone = false
  const turn = (): void => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const rows: ContactRow[] = []
  for await (const row of readContactRows(source)) rows.push(row)
  isDone = true
  return { rows, turns }
}
