import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { browser } from './context.ts'
import { startListening } from '../support/instance.ts'

const built = fileURLToPath(new URL('../../dist/ui/', import.meta.url))

it('starts with at most 90 KB of JavaScript, and loads the rest on demand', async () => {
  const first = reachedFrom(entryOf(readFileSync(join(built, 'index.html'), 'utf8')))
  const bytes = [...first].map((name) => gzipSync(readFileSync(join(built, 'assets', name))).length)
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(90 * 1024)

  const post = await startListening({})
  const page = await browser.context.newPage()
  const loaded: string[] = []
  page.on('request', (request) => {
    const [, name] = /\/assets\/([^/?]+\.js)$/.exec(request.url()) ?? []
    if (name) loaded.push(name)
  })
  await page.goto(post.url ?? '')
  await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
  // The parts of the empty inbox. The palette, in the same file, is loaded when the page is idle.
  const later = /^(?:later|rolldown-runtime)-/
  const asked = loaded.filter((name) => !later.test(name))
  expect(new Set(asked)).toEqual(first)
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  expect(loaded.some((name) => name.startsWith('later'))).toBe(true)
})

function entryOf(html: string): string {
  const [, name] = /<script type="module"[^>]* src="\.\/assets\/([^"]+)"/.exec(html) ?? []
  if (name === undefined) throw new Error('The built page names no script.')
  return name
}

/** A chunk and all chunks that it imports before it runs, directly or not. */
function reachedFrom(entry: string): Set<string> {
  const reached = new Set([entry])
  for (const name of reached) {
    const code = readFileSync(join(built, 'assets', name), 'utf8')
    for (const [, imported] of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) {
      if (imported !== undefined) reached.add(imported)
    }
  }
  return reached
}
