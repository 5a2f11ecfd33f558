import { expect, test } from 'vitest'
import type { LogStoreOptions } from '../../src/store/disk/open.ts'
import { insert } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'
import { mortal, openAfterKill, openIn, tempFolder } from './_setup.ts'

/** The notices of a start after a run that ended in this way. */
async function said(
  first: Partial<LogStoreOptions>,
  end: 'closed' | 'cut off',
  second: Partial<LogStoreOptions>,
): Promise<string[]> {
  const dir = await tempFolder()
  const store = await openIn(dir, { ...mortal, ...first })
  await store.commit([insert(notes, note(1))])
  if (end === 'closed') await store.close()
  const notices: string[] = []
  const next = await openAfterKill(dir, { ...second, onNotice: (text) => notices.push(text) })
  await next.close()
  return notices
}

test('a start after a power cut in the default mode reports what may be lost', async () => {
  expect(await said({ boot: 'first' }, 'cut off', { boot: 'second' })).toEqual([
    expect.stringMatching(
      /machine was restarted .* last 5 seconds .* may be lost; the last commit .* number 1\./,
    ),
  ])
})

test.each([
  ['a process that was killed', { boot: 'first' }, 'cut off', { boot: 'first' }],
  ['a clean end', { boot: 'first' }, 'closed', { boot: 'second' }],
  ['--durability disk', { boot: 'first', durability: 'disk' }, 'cut off', { boot: 'second' }],
  ['a system that does not tell its boots', { boot: '' }, 'cut off', { boot: '' }],
] as const)('after %s nothing is lost, and there is no notice', async (_, first, end, second) => {
  expect(await said(first, end, second)).toEqual([])
})
