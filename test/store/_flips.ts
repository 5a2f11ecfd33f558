import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { roundsOf } from '../support/long.ts'
import { randomOf } from '../support/random.ts'
import { copyOf } from './_setup.ts'

/** How many bits of each kind of file are changed; `LOCALPOST_FLIPS=200` is the usual long variant. */
export const flipCount = roundsOf('LOCALPOST_FLIPS', { short: 12, long: 40 })

/** `LOCALPOST_SEED` repeats a run. */
export const flipSeed = Number(process.env['LOCALPOST_SEED'] ?? Date.now() % 1e6)

/** Changes one bit of a file. @returns Which, for messages. */
export async function flipBit(path: string, random: () => number): Promise<string> {
  const bytes = await readFile(path)
  const at = Math.floor(random() * bytes.byteLength)
  const bit = Math.floor(random() * 8)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
  await writeFile(path, bytes)
  return `seed ${flipSeed}: ${path} byte ${at} bit ${bit}`
}

/** Copies of a folder, each with one bit of a file changed. */
export async function* flipped(
  dir: string,
  file: string,
  count = flipCount,
): AsyncGenerator<{ copy: string; place: string }> {
  const random = randomOf(flipSeed)
  for (let n = 0; n < count; n++) {
    const copy = await copyOf(dir)
    yield { copy, place: await flipBit(join(copy, file), random) }
    await rm(copy, { recursive: true })
  }
}
