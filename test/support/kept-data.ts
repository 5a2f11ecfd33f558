import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Localpost } from '../../src/index.ts'

/** The folder of `test/fixtures/kept-data`, whose README says what is in it. */
export const keptData: string = join(import.meta.dirname, '../fixtures/kept-data')

interface Answer {
  readonly key: string
  readonly path: string
  readonly status: number
  /** The length of a long body. */
  readonly body: string | number
}

/** Expects that an instance with the kept data answers as the build that wrote the data. */
export async function expectKeptAnswers(post: Localpost, place: 'folder' | 'database'): Promise<void> {
  const answers = JSON.parse(readFileSync(join(keptData, 'answers.json'), 'utf8')) as Record<string, Answer[]>
  const found: Answer[] = []
  for (const { key, path, body } of answers[place] ?? []) {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await post.fetch(new Request(`http://localhost${path}`, { headers }))
    const text = await answer.text()
    found.push({ key, path, status: answer.status, body: typeof body === 'number' ? text.length : text })
  }
  expect(found).toEqual(answers[place])
  expect(found.length).toBeGreaterThan(30)
  expect((await post.webhooks.deliveries()).count).toBe(4)
}
