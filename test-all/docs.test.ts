import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { blocksFor } from '../test/docs/blocks.ts'
import { expectReceives } from '../test/docs/receivers.ts'
import { startForDocs } from '../test/docs/run.ts'
import { findOnPath, hasPrograms } from '../test/support/programs.ts'
import { run } from './run.ts'

function folderOf(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'localpost-docs-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content)
  return dir
}

it.for(['go', 'java'] as const)(
  'the receiver of webhooks for %s takes genuine events only',
  { timeout: 180_000 },
  async (language, context) => {
    const why = noProgram(language)
    if (why !== null) context.skip(why)
    await expectReceives(language)
  },
)

/** A test runner of the guide to testing, beside those that `npm test` runs. */
interface Runner {
  check: 'gotest' | 'junit' | 'rspec'
  file: string
  /** Why it cannot run on this machine; null where it can. */
  lack(): string | null
  /** What has to be done once. */
  prepare?: readonly string[]
  command: readonly string[]
  passed: RegExp
}

const junit = '/usr/share/java/junit-platform-console.jar'
const jars = (): string =>
  readdirSync(dirname(junit))
    .filter((name) =>
      /^(?:junit-(?:jupiter|platform)|opentest4j|apiguardian|picocli|univocity)[^\d]*\.jar$/.test(name),
    )
    .map((name) => join(dirname(junit), name))
    .join(':')
const noProgram = (name: string): string | null =>
  findOnPath(name) === undefined ? `${name} is not on this machine.` : null

const runners: readonly Runner[] = [
  {
    check: 'gotest',
    file: 'signup_test.go',
    lack: () => noProgram('go'),
    prepare: ['go', 'mod', 'init', 'example.test/signup'],
    command: ['go', 'test', '-count=1', '-v', './...'],
    passed: /--- PASS: TestSendsASignInMail/,
  },
  {
    check: 'junit',
    file: 'SignInTest.java',
    lack: () =>
      noProgram('javac') ??
      (hasPrograms('the guide for JUnit', [junit]) ? null : 'JUnit is not on this machine.'),
    prepare: ['javac', '-cp', 'JARS', '-d', 'classes', 'SignInTest.java'],
    command: [
      'java',
      '-cp',
      'JARS:classes',
      'org.junit.platform.console.ConsoleLauncher',
      '--select-class=SignInTest',
      '--disable-banner',
    ],
    passed: /1 tests successful/,
  },
  {
    check: 'rspec',
    file: 'sign_in_spec.rb',
    lack: () => (hasPrograms('the guide for RSpec', ['rspec']) ? null : 'RSpec is not on this machine.'),
    command: ['rspec', 'sign_in_spec.rb'],
    passed: /1 example, 0 failures/,
  },
]

it.for(runners)(
  'the workers of $check that are shown have an account each, and remove it',
  async ({ check, file, lack, prepare, command, passed }, context) => {
    const why = lack()
    if (why !== null) context.skip(why)
    const { post } = await startForDocs()
    onTestFinished(() => post.close())
    const cwd = folderOf({ [file]: blocksFor(check)[0]?.code ?? '' })
    mkdirSync(join(cwd, 'classes'))
    // Nothing is downloaded: the file needs the standard library alone.
    const env = {
      LOCALPOST_URL: post.url ?? '',
      LOCALPOST_API_KEY: post.apiKey,
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
    }
    const start = ([program = '', ...args]: readonly string[]): Promise<string> =>
      run(
        program,
        args.map((arg) => arg.replace('JARS', jars())),
        { cwd, env },
      )
    if (prepare) await start(prepare)
    for (const output of await Promise.all([start(command), start(command)])) expect(output).toMatch(passed)
    expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default'])
    expect((await post.inbox.list()).items).toEqual([])
    expect((await post.requests.list()).count).toBe(0)
  },
)
