/**
 * Makes the JavaScript of dist: one CommonJS build of everything, with its packages, and ES modules that re-export it.
 * Whether an app uses `import` or `require`, its process has one copy of the package.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { listLibraryModules } from './notices.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = (path) => join(root, 'src', path)

/**
 * The entries of the package. The module of an entry is `src/<name>.ts`. `portable` entries are ES modules without
 * imports of Node. `parts` is for an entry that cannot be CommonJS: the module that it imports from the CommonJS build.
 * `effect` is for an entry without exports, which runs in its test runner only.
 */
export const entries = {
  index: {},
  'client/index': { portable: true },
  'cypress/commands': { portable: true },
  'cypress/index': {},
  'jest/index': { effect: true },
  'playwright/index': {},
  'report/index': {},
  'testing/index': {},
  'vitest/index': { parts: 'vitest/parts' },
}

const command = 'cli/main'

/** The name of the CommonJS file of an entry or of the command: for `client/index` it is `client.cjs`. */
export const commonName = (name) => `${name.replace(/\/(?:index|main)$/, '').replaceAll('/', '-')}.cjs`

/** Packages that are not bundled: those that the user installs. */
const external = [/^node:/, 'pg', 'vitest', '@jest/globals', '@playwright/test', 'playwright-core']

/**
 * Replaces globals in all sources and packages: a test may have replaced the timers by fake ones, and its environment
 * others by those of a DOM.
 */
const natives = source('core/natives.ts')
const nativesOf = (module) =>
  [...readFileSync(module, 'utf8').matchAll(/^export (?:const (\w+)|\{([^}]+)\})/gm)]
    .flatMap(([, one, several = '']) =>
      one ? [one] : several.split(',').flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []),
    )
    .map((name) => [name, module])
const machine = source('core/machine.ts')
const inject = Object.fromEntries(
  ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate']
    .map((name) => [name, [machine, name]])
    .concat([
      ['queueMicrotask', [machine, 'queueMicrotask']],
      ['process.nextTick', [machine, 'nextTick']],
      ['performance.now', [machine, 'monotonicNow']],
      ['Date.now', [machine, 'dateNow']],
    ])
    .concat(
      [natives, source('core/web-natives.ts')].flatMap(nativesOf).flatMap(([name, module]) => [
        [name, [module, name]],
        [`globalThis.${name}`, [module, name]],
      ]),
    ),
)

/**
 * @param out  The folder. It gets `*.cjs`, the ES module of each entry, and the list of the modules inside.
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
    plugins: [...plugins, findFiles(root), withoutSchemaValidator, lookInBothRealms],
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
    else if (entry.effect) write(join(out, `${name}.js`), `import '../${commonName(name)}'\n`)
    else write(join(out, `${name}.js`), passOn(out, name))
  }
  listLibraryModules(out, inside)
  write(join(out, `${command}.js`), startOf(commonName(command)))
}

/**
 * The command. From version 22.1 on, Node keeps the compiled code, so that a second start takes a fifth less CPU time. It is
 * kept next to the code: a folder for temporary files could belong to another user. Another user than the owner of `dist` does
 * without it: `sudo` would leave a folder that only root can remove, and the image runs as `node` what root installed.
 */
const startOf = (file) => `#!/usr/bin/env node
import { statSync } from 'node:fs'
import module from 'node:module'

const dist = \`\${import.meta.dirname}/..\`
const user = process.getuid?.()
if (user === undefined || statSync(dist).uid === user) module.enableCompileCache?.(\`\${dist}/.compiled\`)
module.createRequire(import.meta.url)('../${file}')
`

/**
 * Writes an ES module that contains the code, for entries that run without Node or need a package without `require`.
 *
 * @returns The files whose code is in it.
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

/** An ES module that exports each name of the CommonJS file, so that Node need not detect the names. */
function passOn(out, name) {
  const file = join(out, commonName(name))
  const path = relative(dirname(join(out, `${name}.js`)), file).replaceAll(sep, '/')
  const names = Object.keys(createRequire(import.meta.url)(file)).toSorted()
  const specifier = path.startsWith('.') ? path : `./${path}`
  // Some loaders interpret `__esModule`, and import the default export itself.
  const named = names.filter((one) => one !== 'default')
  return [
    `import common from '${specifier}'\n`,
    ...(named.length > 0 ? [`export const { ${named.join(', ')} } = common\n`] : []),
    ...(names.includes('default') ? ['export default common.default ?? common\n'] : []),
  ].join('')
}

/**
 * Loads modules of Node without `require`, which ES modules lack, so that an app can be bundled together with the
 * package. Such a bundle has no `__filename` either.
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
 * Adjusts paths that sources derive from their location: of files next to them, which become separate entries, packages
 * that are loaded when they are first needed, and files of the package itself.
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

/** Lets `instanceof` find values of Node and of the context in which a test runs; see `core/natives.ts`. */
const lookInBothRealms = {
  name: 'look-in-both-realms',
  transform: (code, id) =>
    id === natives
      ? null
      : code.replaceAll(
          /\binstanceof (ArrayBuffer|DataView|Date|(?:Range|Syntax|Type)?Error|Float64Array|Map|Promise|RegExp|Set|Uint8Array)\b/g,
          'instanceof eitherRealm.$1',
        ),
}

/**
 * The SDK of the Model Context Protocol has a copy of ajv, for what a server asks the user of a client. Localpost asks for
 * nothing: its tools are checked by zod.
 */
const withoutSchemaValidator = {
  name: 'without-schema-validator',
  resolveId: (id) => (id === '@modelcontextprotocol/server/_shims' ? { id: '\0mcp-shims' } : null),
  load: (id) =>
    id === '\0mcp-shims'
      ? `import process from 'node:process'
export { process }
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('This build checks no JSON schemas.')
  }
}`
      : null,
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Fails at warnings of the bundler, because they mean that something does not work. */
function onLog(level, log, report) {
  if (level === 'warn' && !harmless.has(log.code)) throw new Error(`${log.code}: ${log.message}`)
  if (level !== 'warn') report(level, log)
}

const harmless = new Set([])
