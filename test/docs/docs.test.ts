import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import ts from 'typescript'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ensureProgram, findOnPath } from '../support/programs.ts'
import { blocksFor, checkOf, readBlocks, root, type Block } from './blocks.ts'
import { makeProject, run, startForDocs } from './run.ts'

const swaks = { name: 'swaks', tests: 'the documentation', find: () => findOnPath('swaks') }

const command = join(root, 'dist/cli/main.js')

function project(files: Readonly<Record<string, string>>): string {
  const { dir, remove } = makeProject(files)
  onTestFinished(remove)
  return dir
}

const each = (blocks: Block[]): [string, Block][] => blocks.map((block) => [block.place, block])

const toScript = (code: string): string =>
  ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  }).outputText

it('every block of README, CONTRIBUTING and guides has a check', () => {
  expect(readBlocks().filter((block) => checkOf(block) === null)).toEqual([])
  expect(readBlocks().length).toBeGreaterThan(40)
})

it('passes all tests that are shown for vitest, in vitest', async () => {
  const blocks = blocksFor('vitest')
  const dir = project(Object.fromEntries(blocks.map(({ code }, index) => [`block-${index}.test.ts`, code])))
  const { post } = await startForDocs()
  onTestFinished(() => post.close())
  const { status, stdout, stderr } = await run(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout=20000'],
    { cwd: dir, env: { LOCALPOST_URL: post.url ?? '', LOCALPOST_API_KEY: post.apiKey } },
  )
  expect(stdout + stderr).toMatch(new RegExp(`Test Files +${blocks.length} passed`))
  expect(status).toBe(0)
})

describe('a module that is shown', () => {
  it.each(each(blocksFor('module')))(
    '%s runs, and prints what its comments say',
    async (_place, { code }) => {
      const { post, adapt } = await startForDocs()
      onTestFinished(() => post.close())
      const dir = project({ 'block.mjs': toScript(adapt(code)) })
      const { status, stdout, stderr } = await run(process.execPath, ['block.mjs'], { cwd: dir })
      expect(stderr).toBe('')
      expect(status).toBe(0)
      const said = [...code.matchAll(/^console\.log\(.*\) \/\/ (?!\{)(.*)$/gm)].map(([, text]) =>
        text?.replaceAll("'", ''),
      )
      for (const text of said)
        expect(stdout.replaceAll("'", '').replaceAll(/\[ | \]/g, (part) => part.trim())).toContain(text)
    },
  )
})

describe('a shell script that is shown', () => {
  beforeAll(() => void ensureProgram(swaks), 300_000)

  it.each(each(blocksFor('shell')))('%s succeeds at every line', async (_place, { code }) => {
    const { post, adapt } = await startForDocs()
    onTestFinished(() => post.close())
    // An HTTP error is a failure here.
    const lines = adapt(code).replaceAll(
      /\bcurl ((?:--silent|--fail) )*/g,
      'curl --silent --show-error --fail-with-body ',
    )
    const script = `localpost() { node dist/cli/main.js "$@"; }\n${lines}`
    const { status, stdout, stderr } = await run('bash', ['-euo', 'pipefail'], {
      cwd: root,
      env: { LOCALPOST_API_KEY: post.apiKey, LOCALPOST_URL: post.url ?? '' },
      input: script,
    })
    expect(stdout + stderr).not.toContain('"statusCode"')
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})

it('the workers of pytest that are shown have an account each, and remove it', async ({ skip }) => {
  const probe = await run('python3', ['-m', 'pytest', '--version'], { cwd: root }).catch(() => null)
  skip(probe?.status !== 0, 'pytest is not installed')
  const [block] = blocksFor('pytest')
  const { post } = await startForDocs()
  onTestFinished(() => post.close())
  const cwd = project({ 'test_block.py': block?.code ?? '' })
  const env = { LOCALPOST_URL: post.url ?? '', LOCALPOST_API_KEY: post.apiKey }
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider']
  // As the workers of pytest-xdist, these are processes that run at the same time.
  const runs = await Promise.all([1, 2].map(() => run('python3', args, { cwd, env })))
  for (const { status, stdout, stderr } of runs)
    expect({ status, stdout, stderr }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 passed'),
    })
  expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default'])
  expect((await post.inbox.list()).items).toEqual([])
})

describe('examples that cannot be run here', () => {
  it.each(each(blocksFor('proxy')))('%s leads to the default address', (_place, { code }) => {
    expect(code).toMatch(/127\.0\.0\.1:8025\b/)
  })

  it.each(each(blocksFor('settings')))('%s leads to the default address', (_place, { language, code }) => {
    if (language === 'json') expect(() => void JSON.parse(code)).not.toThrow()
    expect(code).toMatch(/"http:\/\/127\.0\.0\.1:8025(?:\/mcp)?"/)
  })

  it.each(each(blocksFor('recipe')))(
    '%s is JavaScript or Java, with paths and flags that exist',
    async (_place, block) => {
      const { language, code } = block
      expect(['js', 'java']).toContain(language)
      if (language === 'js')
        expect(ts.transpileModule(code, { reportDiagnostics: true }).diagnostics?.map(String)).toEqual([])
      const { paths } = JSON.parse(readFileSync(join(root, 'dist/openapi.json'), 'utf8')) as { paths: object }
      for (const [, path = ''] of code.matchAll(/['"`](\/(?:dev|v1)\/[\w/-]+)/g))
        expect(Object.keys(paths)).toContain(path)
      const help = await run(process.execPath, [command, '--help', 'all'], { cwd: root })
      for (const [flag] of code.matchAll(/--[a-z-]+/g)) expect(help.stdout).toContain(flag)
    },
  )

  it('the function of the recipes finds a mail, and says why there is none', async () => {
    const { post } = await startForDocs()
    onTestFinished(() => post.close())
    const [functions] = blocksFor('recipe')
    const use = `import { clearMail, waitForMail } from './mail.mjs'
      const { codes } = await waitForMail({ to: 'ada@example.com' })
      await clearMail()
      const error = await waitForMail({ to: 'ada@example.com', timeoutMs: 10 }).catch(({ message }) => message)
      console.log(JSON.stringify([codes, error]))`
    const cwd = project({ 'mail.mjs': functions?.code ?? '', 'use.mjs': use })
    const mail = { from: 'app@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Your code is 482913' }
    await post.emails.send(mail)
    const env = { LOCALPOST_URL: post.url ?? '', LOCALPOST_API_KEY: post.apiKey }
    const { stdout } = await run(process.execPath, ['use.mjs'], { cwd, env })
    expect(JSON.parse(stdout)).toEqual([['482913'], expect.stringMatching(/^wait_timeout: No mail for/)])
  })

  it.each(each(blocksFor('elsewhere')))('%s names Localpost by its port or a path', (_place, { code }) => {
    expect(code).toMatch(/\b8025\b|\/dev\/|--public-url/)
  })

  it.each(each(blocksFor('quoted')))('%s is part of an example that is run', (_place, { code }) => {
    const files = readdirSync(join(root, 'examples'), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name.endsWith('.js') && !entry.parentPath.includes('node_modules'),
    )
    const quoting = files.filter((file) =>
      readFileSync(join(file.parentPath, file.name), 'utf8').includes(code),
    )
    expect(quoting.map(({ name }) => name)).not.toEqual([])
  })

  it.each(each([...blocksFor('npm'), ...blocksFor('yaml')]))(
    '%s names scripts and flags that exist',
    async (_place, { code }) => {
      const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>
      }
      const named = [...code.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name)
      expect(named.filter((name) => name !== undefined && !(name in scripts))).toEqual([])
      const help = await run(process.execPath, [command, '--help', 'all'], { cwd: root })
      const lines = code
        .split('\n')
        .filter((line) => /\blocalpost (?:--|.* localpost --)|command: /.test(line))
      const flags = lines.flatMap((line) => [
        ...line.replace(/.*docker run .* localpost /, '').matchAll(/--([\w-]+)/g),
      ])
      for (const [flag] of flags) expect(help.stdout).toContain(flag)
      for (const [, port] of code.matchAll(/127\.0\.0\.1:(\d+)/g)) expect(['8025', '1025']).toContain(port)
    },
  )
})

it('the banner of the README matches the printed one', async () => {
  const [shown] = blocksFor('shown')
  const args = [command, '--port', '0', '--smtp-port', '0']
  const child = spawn(process.execPath, args, { cwd: project({}), stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let printed = ''
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`
    if (/^\s*Data /.test(line)) break
  }
  child.kill('SIGTERM')
  await closed
  const settled = (text: string): string =>
    text
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0')
      .replace(/lp_\S+/, 'lp_…')
      .trim()
  expect(settled(printed)).toBe(settled(shown?.code ?? ''))
})

it('the failed assertion of the README matches the printed one', async () => {
  const [example] = blocksFor('vitest')
  const shown = blocksFor('shown').find(({ code }) => code.startsWith('Error: '))
  const dir = project({ 'block.test.ts': (example?.code ?? '').replace('/sign in/i', '/welcome/i') })
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run']
  const { stderr } = await run(process.execPath, args, { cwd: dir })
  const settled = (text: string): string => text.replaceAll(/em_\w+/g, 'em_…')
  expect(settled(stderr)).toContain(settled(shown?.code.trimEnd() ?? '?'))
})

it('the snapshot of a mail in the guide is that of the example', () => {
  const shown = blocksFor('shown').find(({ code }) => code.includes('--- structure ---'))
  const stored = join(root, 'examples/sign-up/vitest/__snapshots__/sign-up.test.js.snap')
  expect(readFileSync(stored, 'utf8')).toContain(shown?.code.trimEnd())
})

it('every link of README, CONTRIBUTING and guides leads to a file', () => {
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`),
  ]
  const broken = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, target]) => target ?? '')
    return targets
      .filter((target) => !exists(resolve(root, dirname(file), target)))
      .map((target) => `${file}: ${target}`)
  })
  expect(broken).toEqual([])
})

function exists(path: string): boolean {
  try {
    return readdirSync(dirname(path)).includes(path.slice(dirname(path).length + 1))
  } catch {
    return false
  }
}
