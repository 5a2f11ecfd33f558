import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './blocks.ts'

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api'))
    .map((name) => join('docs', name)),
  ...readdirSync(join(root, 'src'))
    .map((folder) => join('src', folder, 'README.md'))
    .filter((page) => existsSync(join(root, page))),
]

const proseOf = (path: string): string => readFileSync(path, 'utf8').replace(/^```.*?^```/gms, '')

/** The anchors of the headings of a page, as code hosts make them. */
function anchorsOf(path: string): string[] {
  const headings = [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text)
  return headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each(pages)('every link of %s leads to a file and a heading that exist', (page) => {
  const broken: string[] = []
  for (const [, target = ''] of proseOf(join(root, page)).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? join(root, page) : join(root, dirname(page), path)
    const isFound = existsSync(file) && (anchor === undefined || anchorsOf(file).includes(anchor))
    if (!isFound) broken.push(`${relative(root, file)}${anchor === undefined ? '' : `#${anchor}`}`)
  }
  expect(broken).toEqual([])
})
