import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './blocks.ts'

const sources = join(root, 'src')
const pages = [
  'CONTRIBUTING.md',
  ...readdirSync(sources)
    .map((folder) => join('src', folder, 'README.md'))
    .filter((page) => existsSync(join(root, page))),
]

/** A name of a file of ours, alone or in a command. Not the end of a longer path, such as that of a temporary file. */
const fileName = /(?<![\w@/.>*-])[\w-][\w.-]*(?:\/[\w.-]+)*\.(?:ts|mjs|vue|md|yml)\b/g
/** A folder, or a part of the tree, in code marks. */
const folderName = /`((?:src|test|test-all|ui|docs|scripts|bench|examples)\/[\w./-]*|[\w-]+\/)`/g

function namesIn(page: string): string[] {
  // Addresses name files of others.
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/https?:\/\/\S+/g, '')
  const folders = [...text.matchAll(folderName)].map(([, name = '']) => name)
  return [...new Set([...folders, ...(text.match(fileName) ?? [])])]
}

it.each(pages)('every file and folder that %s names exists', (page) => {
  const names = namesIn(page)
  const missing = names.filter(
    (name) => ![join(root, dirname(page)), sources, root].some((from) => existsSync(join(from, name))),
  )
  expect(missing).toEqual([])
  expect(names.length).toBeGreaterThan(5)
})
