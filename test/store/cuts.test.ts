import { readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { roundsOf } from '../support/long.ts'
import { randomOf } from '../support/random.ts'
import { contents, copyOf, mortal, openAfterKill, tempFolder } from './_setup.ts'

const cuts = roundsOf('LOCALPOST_CUTS', { short: 40, long: 150 })

test(
  `logs of several files, cut at ${cuts} random bytes, hold every commit before the cut and none after`,
  { timeout: 120_000 },
  async () => {
    const seed = Number(process.env['LOCALPOST_SEED'] ?? Date.now() % 1e9)
    const random = randomOf(seed)
    const dir = await tempFolder()
    const first = await openAfterKill(dir, { ...mortal, logFileBytes: 12_000 })
    const states: { file: string; end: number; state: unknown }[] = [
      { file: '', end: 0, state: await contents(first) },
    ]
    async function commit(...parts: Parameters<typeof first.commit>): Promise<void> {
      await first.commit(...parts)
      const file = (await readdir(join(dir, 'log'))).sort().at(-1) ?? ''
      states.push({ file, end: (await stat(join(dir, 'log', file))).size, state: await contents(first) })
    }
    for (let n = 0; n < 40; n++) {
      const message = blobOf(`${note(n).id}/message`, pattern(Math.floor(random() * 1500), n))
      await commit(
        [insert(notes, note(n)), ...(n % 4 === 3 ? [remove(notes, note(n - 2).id)] : [])],
        [message],
      )
      if (n % 3 === 0) await commit([put(labels, { id: `l${n % 5}`, title: `cut ${n}` })])
    }
    const names = (await readdir(join(dir, 'log'))).sort()
    expect(names.length).toBeGreaterThan(3)
    for (let cut = 0; cut < cuts; cut++) {
      const copy = await copyOf(dir)
      const which = Math.floor(random() * names.length)
      const file = names[which] ?? ''
      const at = Math.floor(random() * (await stat(join(copy, 'log', file))).size)
      // A truncated log ends there; later files were never written.
      for (const later of names.slice(which + 1)) await rm(join(copy, 'log', later))
      await truncate(join(copy, 'log', file), at)
      const expected = states.findLast(
        (known) => known.file < file || (known.file === file && known.end <= at),
      )
      const store = await openAfterKill(copy)
      expect(await contents(store), `seed ${seed}: ${file} cut at ${at}`).toEqual(expected?.state)
      await store.close()
      await rm(copy, { recursive: true })
    }
  },
)
