import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('the page uses relative addresses only, so that it can be mounted below a path', () => {
  const folder = join(import.meta.dirname, '../../ui')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /\.(?:ts|vue|css|html)$/.test(name) && name !== 'vite.config.ts' && !name.includes('node_modules'),
  )
  expect(sources.length).toBeGreaterThan(20)
  const absolute = sources.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => /(?:['"(]|(?<!\*.*)`)\/(?:dev|assets)\//.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  )
  expect(absolute).toEqual([])
})
