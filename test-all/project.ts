import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from './run.ts'

/** A project in a temporary folder, into which the packed package was installed. */
export interface Project {
  readonly dir: string
  remove(): void
}

/**
 * Makes an empty project and installs packages into it.
 *
 * @param install  Names with exact versions, or the path of a tarball.
 * @param env  More variables for npm.
 */
export async function makeProject(
  files: Readonly<Record<string, string>>,
  install: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<Project> {
  const project = newProject()
  for (const [name, content] of Object.entries({ 'package.json': '{"private":true}', ...files })) {
    mkdirSync(dirname(join(project.dir, name)), { recursive: true })
    writeFileSync(join(project.dir, name), content)
  }
  await npmInstall(project.dir, install, env)
  return project
}

/** A copy of an example, whose `localpost` is the packed one. */
export async function makeExample(source: string, tarball: string): Promise<Project> {
  const project = newProject()
  const isOurs = (path: string): boolean =>
    !/[\\/](?:node_modules|\.next|test-results)(?:$|[\\/])/.test(path.slice(source.length))
  cpSync(source, project.dir, { recursive: true, filter: isOurs })
  const path = join(project.dir, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { devDependencies: Record<string, string> }
  manifest.devDependencies['localpost'] = `file:${tarball}`
  writeFileSync(path, JSON.stringify(manifest))
  await npmInstall(project.dir, [])
  return project
}

/**
 * Returns the executable of a Node version of the registry, installed once for all runs.
 *
 * @param version  Exact.
 */
export async function nodeOf(version: string): Promise<string> {
  const dir = join(homedir(), '.cache/localpost-test-all', `node-${version}`)
  const executable = join(dir, 'node_modules/node/bin/node')
  const installed = await run(executable, ['--version'], { cwd: tmpdir() }).catch(() => null)
  if (installed?.trim() === `v${version}`) return executable
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), '{"private":true}')
  // The package `node` fetches this one in an install script, which npm may be told not to run.
  await npmInstall(dir, [`node@npm:node-${process.platform}-${process.arch}@${version}`])
  return executable
}

function newProject(): Project {
  const dir = mkdtempSync(join(tmpdir(), 'localpost-project-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }) }
}

async function npmInstall(cwd: string, packages: readonly string[], env?: NodeJS.ProcessEnv): Promise<void> {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  await run('npm', ['install', ...quiet, ...packages], { cwd, ...(env && { env }) })
}
