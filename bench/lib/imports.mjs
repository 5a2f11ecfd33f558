/** Which packages Localpost has loaded by its first greeting, and how long Node takes for them alone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from './processes.mjs'

/**
 * Starts Localpost once with a loader hook that writes down what its own files import from packages.
 *
 * @returns {Promise<string[]>} Specifiers, as `smtp-server` or `smtp-server/lib/smtp-connection.js`.
 */
export async function packagesAtStart({ start, scratch }) {
  const list = join(scratch, 'imports.txt')
  const hook = `import { appendFileSync } from 'node:fs'
    export async function resolve(specifier, context, next) {
      const own = context.parentURL?.includes('/dist/') && !context.parentURL.includes('/node_modules/')
      if (own && !/^(?:[./]|node:|file:)/.test(specifier)) appendFileSync(${JSON.stringify(list)}, specifier + '\\n')
      return next(specifier, context)
    }`
  const register = `import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))`
  const server = await start.process({
    nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(register)}`],
    waitForHttp: false,
  })
  const names = [...new Set(readFileSync(list, 'utf8').trim().split('\n'))]
    .filter((name) => !afterwards.has(name))
    .sort()
  await server.stop('SIGKILL')
  return names
}

/** Asked for when SMTP listens already; whether the hook sees it before the greeting is read is chance. */
const afterwards = new Set(['listhen'])

/** @returns {Promise<number>} Milliseconds of `node -e` with nothing but these imports. */
export async function importMs(names, cwd) {
  const code = names.map((name) => `import ${JSON.stringify(name)}`).join('\n')
  return (await runToEnd(['--input-type=module', '-e', code], { cwd })).ms
}
