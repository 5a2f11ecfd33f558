/**
 * Makes the JavaScript of dist: one CommonJS build of everything, its packages included, and beside it ES modules that
 * pass on what it exports. However the package is loaded, a process has one copy of it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { writeLicences } from './licences.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = (path) => join(root, 'src', path)

/**
 * What the package exports. The module of an entry stands at `src/<name>.ts`. `portable` entries are ES modules without
 * Node; `parts` is what an entry that cannot be CommonJS takes from the rest.
 */
export const entries = {
  index: {},
  'client/index': { portable: true },
  'playwright/index': {},
  'report/index': {},
  'testing/index': {},
  'vitest/index': { parts: 'vitest/parts' },
}

const command = 'cli/main'

/** The file of an entry or the command among the CommonJS ones: `client/index` is `client.cjs`. */
export const commonName = (name) => `${name.replace(/\/(?:index|main)$/, '').replaceAll('/', '-')}.cjs`

/** Packages that stay outside: those of the user, and listhen, which only the command loads. */
const external = [/^node:/, 'listhen', 'pg', 'vitest', '@playwright/test', 'playwright-core']

/** What packages take from the global object, whose timers a test may have faked. */
const machine = source('core/machine.ts')
const inject = Object.fromEntries(
  ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate']
    .map((name) => [name, [machine, name]])
    .concat([
      ['queueMicrotask', [machine, 'queueMicrotask']],
      ['process.nextTick', [machine, 'nextTick']],
      ['performance.now', [machine, 'monotonicNow']],
      ['Date.now', [machine, 'dateNow']],
    ]),
)

/**
 * @param out  The folder: gets `*.cjs`, the ES module of each entry and the licences of the packages inside.
 * @param options.plugins  More plugins of Rolldown; they come first.
 */
export async function bundle(out, { plugins = [] } = {}) {
  const names = [command, ...Object.keys(entries)]
  const input = names.map((name) => [
    commonName(name).slice(0, -4),
    source(`${entries[name]?.parts ?? name}.ts`),
  ])
  const build = await rolldown({
    input: Object.fromEntries(input),
    external,
    platform: 'node',
    plugins: [...plugins, findFiles(root)],
    transform: { target: 'node20', inject },
    onLog,
  })
  const files = { entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' }
  const { output } = await build.write({ dir: out, format: 'cjs', exports: 'named', ...files })
  await build.close()
  for (const { fileName, code } of output) if (code) write(join(out, fileName), withoutRequire(code))
  const inside = output.flatMap(({ moduleIds = [] }) => moduleIds)
  for (const [name, entry] of Object.entries(entries)) {
    if (entry.portable || entry.parts) inside.push(...(await writeModule(out, name, entry)))
    else write(join(out, `${name}.js`), passOn(out, name))
  }
  writeLicences(out, inside)
  write(join(out, `${command}.js`), `#!/usr/bin/env node\nimport '../${commonName(command)}'\n`)
}

/**
 * An ES module with the code in it: for what runs without Node, or needs a package that cannot be required.
 *
 * @returns The files of which something is in it.
 */
async function writeModule(out, name, { portable, parts }) {
  const common = `../${commonName(name)}`
  const takeParts = {
    name: 'take-parts',
    resolveId: (id, from) =>
      from && parts && resolve(dirname(from), id) === source(`${parts}.ts`)
        ? { id: common, external: true }
        : null,
  }
  const build = await rolldown({
    input: source(`${name}.ts`),
    external: portable ? [] : external,
    platform: portable ? 'neutral' : 'node',
    plugins: [takeParts],
    transform: { target: 'es2022' },
    onLog,
  })
  const { output } = await build.write({ file: join(out, `${name}.js`), format: 'es' })
  await build.close()
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

/** An ES module that exports what the CommonJS file does, name by name: Node need not guess them. */
function passOn(out, name) {
  const file = join(out, commonName(name))
  const path = relative(dirname(join(out, `${name}.js`)), file).replaceAll(sep, '/')
  const names = Object.keys(createRequire(import.meta.url)(file)).toSorted()
  const specifier = path.startsWith('.') ? path : `./${path}`
  // A loader that knows of `__esModule` gives the default export itself.
  const named = names.filter((one) => one !== 'default')
  return [
    `import common from '${specifier}'\n`,
    ...(named.length > 0 ? [`export const { ${named.join(', ')} } = common\n`] : []),
    ...(names.includes('default') ? ['export default common.default ?? common\n'] : []),
  ].join('')
}

/**
 * Takes modules of Node without `require`, which an ES module does not have: so an app that is bundled together with the
 * package works. Such a bundle has no `__filename` either.
 */
function withoutRequire(code) {
  return code
    .replaceAll(
      'pathToFileURL(__filename)',
      'pathToFileURL(typeof __filename === "string" ? __filename : process.cwd() + "/")',
    )
    .replaceAll(/\brequire\("([^".]+)"\)/g, (whole, name) =>
      isBuiltin(name) ? `process.getBuiltinModule("${name}")` : whole,
    )
}

/**
 * Keeps right what the sources find by their own place: files beside them, which become entries of their own, packages
 * that are loaded when they are first needed, and the package's own files.
 */
function findFiles(root) {
  const lazyName = (id) => `lazy-${id.replaceAll(/\W+/g, '-')}`
  return {
    name: 'find-files',
    resolveId: (id) => (/^\.\/lazy-[\w-]+\.cjs$/.test(id) ? { id, external: true } : null),
    transform(code, id) {
      if (!id.startsWith(source('')) || !code.includes('import.meta.url')) return null
      const lazy = (_, name) => {
        if (name.startsWith('.')) {
          const path = resolve(dirname(id), name)
          if (!path.endsWith('package.json')) throw new Error(`${id} requires ${name}: what is it?`)
          return `(${JSON.stringify({ version: JSON.parse(readFileSync(path, 'utf8')).version })})`
        }
        this.emitFile({ type: 'chunk', id: name, importer: id, fileName: `${lazyName(name)}.cjs` })
        return `require('./${lazyName(name)}.cjs')`
      }
      const place = (whole, path) => {
        const target = resolve(dirname(id), path)
        if (target === join(root, 'src')) return "new URL('.', import.meta.url)"
        const inDist = relative(join(root, 'dist'), target)
        if (!inDist.startsWith('..'))
          return `new URL('./${inDist}${path.endsWith('/') ? '/' : ''}', import.meta.url)`
        if (!existsSync(target) || !target.endsWith('.ts')) return whole
        const fileName = `${relative(source(''), target).replace(/\.ts$/, '').replaceAll(sep, '-')}.cjs`
        this.emitFile({ type: 'chunk', id: target, fileName })
        return `new URL('./${fileName}', import.meta.url)`
      }
      return code
        .replaceAll(/createRequire\(import\.meta\.url\)\('([^']+)'\)/g, lazy)
        .replaceAll(/new URL\('([^']+)', import\.meta\.url\)/g, place)
    },
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** A warning of the bundler is something that does not work. */
function onLog(level, log, report) {
  if (level === 'warn' && !harmless.has(log.code)) throw new Error(`${log.code}: ${log.message}`)
  if (level !== 'warn') report(level, log)
}

const harmless = new Set([])
