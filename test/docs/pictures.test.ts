import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './blocks.ts'

const texts = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The pictures of a text that are files of the repository. */
const pictures = texts.flatMap((text) =>
  [...readFileSync(join(root, text), 'utf8').matchAll(/!\[[^\]]*\]\(([^)\s]+)\)|<img[^>]+src="([^"]+)"/g)]
    .map(([, ofMarkdown, ofHtml]) => ofMarkdown ?? ofHtml ?? '')
    .filter((path) => !/^[a-z]+:/.test(path))
    .map((path): [string, string] => [text, join(root, dirname(text), path)]),
)

it('each picture in README and guides exists and is small', () => {
  expect(pictures.length).toBeGreaterThan(0)
  for (const [text, path] of pictures) {
    expect(existsSync(path), `${path} in ${text}`).toBe(true)
    expect(statSync(path).size, path).toBeLessThan(300 * 1024)
  }
})
