import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'

/** Where programs of registries are installed, once for all runs. */
export const cache: string = join(homedir(), '.cache/localpost-test-all')

const made = new Map<string, Promise<string>>()

/** Makes a folder of the cache once for each run; `fill` does nothing where an earlier run has filled it. */
function once(name: string, fill: (folder: string) => Promise<string>): Promise<string> {
  const folder = join(cache, name)
  mkdirSync(folder, { recursive: true })
  const found = made.get(name) ?? fill(folder)
  made.set(name, found)
  return found
}

/**
 * Returns the `bin` folder of a virtual environment of Python with these packages.
 *
 * @param packages  With exact versions, `name==1.2.3`.
 */
export function pythonWith(name: string, packages: readonly string[]): Promise<string> {
  return once(`python-${name}`, async (folder) => {
    const bin = join(folder, 'bin')
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet']
    const isThere = await run(join(bin, 'python'), ['--version'], { cwd: folder }).catch(() => null)
    if (isThere === null) await run('python3', ['-m', 'venv', '--clear', folder], { cwd: folder })
    await run(join(bin, 'python'), [...pip, 'install', ...packages], { cwd: folder })
    return bin
  })
}

/** Returns the folder in which npm packages are installed, with exact versions: `name@1.2.3`. */
export function npmWith(name: string, packages: readonly string[]): Promise<string> {
  return once(`npm-${name}`, async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
    await run('npm', ['install', ...quiet, ...packages], { cwd: folder })
    return folder
  })
}

/** Returns the path of a program of Go, which is built from a module of an exact version: `example.org/x/cmd/y@v1.2.3`. */
export function goProgram(module: string): Promise<string> {
  const name = module.slice(module.lastIndexOf('/') + 1)
  return once(`go-${name}`, async (folder) => {
    await run('go', ['install', module], { cwd: folder, env: { GOBIN: folder, GOFLAGS: '-mod=mod' } })
    return join(folder, name.replace(/@.*/, ''))
  })
}

/** Returns the path of an archive of Maven: `org.acme:name:1.2.3`. */
export function mavenJar(artifact: string): Promise<string> {
  const [, name, version] = artifact.split(':')
  return once(`jar-${name ?? ''}-${version ?? ''}`, async (folder) => {
    const copy = ['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
    await run('mvn', ['--quiet', '--batch-mode', ...copy], { cwd: folder })
    return join(folder, `${name ?? ''}-${version ?? ''}.jar`)
  })
}
