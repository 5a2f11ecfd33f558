/** Loads modules of `src` as they are, or with changes that put the plain version in the place of the optimised one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const cleanups = []
process.on('exit', () => cleanups.forEach((cleanUp) => cleanUp()))

/** Calls a function at the end of the process. */
export function atExit(cleanUp) {
  cleanups.push(cleanUp)
}

/**
 * Loads modules of `src`.
 *
 * @param {string | string[]} paths  The exports of all of them are given together.
 * @param {Record<string, (code: string) => string>} changes  Other code for some modules.
 */
export async function load(paths, changes = {}) {
  // As deep as the sources and the build are, which read `../../package.json`.
  const folder = mkdtempSync(join(root, 'node_modules/.places-'))
  atExit(() => rmSync(folder, { recursive: true, force: true }))
  const left = new Set(Object.keys(changes))
  const change = {
    name: 'change',
    resolveId: (id) => (id === entry ? id : null),
    load(id) {
      if (id === entry)
        return [paths]
          .flat()
          .map((path) => `export * from '${join(root, 'src', path)}'`)
          .join('\n')
      const name = Object.keys(changes).find((one) => id === join(root, 'src', one))
      if (!name) return null
      left.delete(name)
      return { code: changes[name](readFileSync(id, 'utf8')), moduleType: 'ts' }
    },
  }
  const build = await rolldown({ input: entry, platform: 'node', plugins: [change], onLog() {} })
  const { output } = await build.write({ dir: folder, format: 'es' })
  await build.close()
  if (left.size > 0) throw new Error(`${[paths].flat().join(', ')} does not load ${[...left].join(', ')}.`)
  return import(pathToFileURL(join(folder, output[0].fileName)).href)
}

const entry = 'places-entry'

/** Replaces texts that must be there, given in turn with their replacements. */
export function replaced(code, ...texts) {
  for (let i = 0; i < texts.length; i += 2) {
    if (!code.includes(texts[i])) throw new Error(`The place is gone: ${texts[i]}`)
    code = code.replace(texts[i], () => texts[i + 1])
  }
  return code
}
