import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderResourceTypes } from '../scripts/resource-types.ts'

const files = await renderResourceTypes()

describe('the types of resources', () => {
  it.each([...files])('in %s match the schemas; `npm run types` writes them', async (path, text) => {
    await expect(text).toMatchFileSnapshot(`../${path}`)
  })

  it('are not written by hand beside a schema that has the same members', () => {
    const root = join(import.meta.dirname, '../src')
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
    const objects = sources.flatMap(([file, source]) =>
      [...source.matchAll(/: z\.ZodType<\s*([A-Z]\w+)\s*> =\s*z\s*\.(?:strictO|looseO|o)bject\(/g)].map(
        ([, name = '']) => ({ file, name, source }),
      ),
    )
    expect(objects.length).toBeGreaterThan(30)
    const isGenerated = (source: string, name: string): boolean =>
      [...source.matchAll(/import (?:type )?\{([^}]*)\} from '[^']*[/-]types\.ts'/g)].some(([, names = '']) =>
        names.split(',').some((one) => one.trim().replace(/^type /, '') === name),
      )
    const byHand = objects.filter(({ source, name }) => !isGenerated(source, name))
    expect(byHand.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
  })
})
