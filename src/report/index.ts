import { mkdtempSync, rmSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { assertKnownOptions } from '../core/known-options.ts'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { folderVariable } from './hand-over.ts'
import { summaryOf } from './summary.ts'
import { writeReport, type RanTest } from './write.ts'

/** Where a report goes, and what it is compared with. Paths are relative to the working directory. */
export interface ReportOptions {
  /** The file that is written. Default: `localpost-report.html`. */
  outputFile?: string
  /** The report of an earlier run; the report then says which mails are new, changed and gone. Default: none. */
  baseline?: string
  /** A file to which a summary in Markdown is added, such as `process.env.GITHUB_STEP_SUMMARY`. Default: none. */
  summaryFile?: string | undefined
}

/**
 * A reporter for vitest and for Playwright: it writes one HTML file with every mail of every test that uses the fixture
 * of `localpost/vitest` or `localpost/playwright`, or `useLocalpost` in vitest.
 *
 * @example
 * // vitest.config.ts
 * test: { reporters: ['default', ['localpost/reporter', { outputFile: 'mails.html' }]] }
 * // playwright.config.ts
 * reporter: [['list'], ['localpost/reporter', { outputFile: 'mails.html' }]]
 */
export default class LocalpostReporter {
  readonly #options: ReportOptions
  #folder = ''
  #root = process.cwd()
  /** The tests of Playwright, in the order in which they end. */
  readonly #ended = new Map<string, RanTest>()

  /** @throws invalid_option for an unknown option, or a path that is no text. */
  constructor(options: ReportOptions = {}) {
    const { outputFile, baseline, summaryFile } = checkOptions(options)
    this.#options = { outputFile, baseline, summaryFile }
  }

  /** Vitest: the run is set up, and no test was started. */
  onInit(vitest: { config: { root: string } }): void {
    this.#begin(vitest.config.root)
  }

  /** Vitest: all tests ended; in watch mode, each time. */
  async onTestRunEnd(modules: readonly VitestModule[]): Promise<void> {
    const tests = modules.flatMap(({ moduleId, project, children }) =>
      [...children.allTests()].map((test) => ({
        file: moduleId,
        name: withProject(test.fullName, project?.name),
        state: test.result().state,
      })),
    )
    await this.#write(tests)
  }

  /** Playwright: the run begins. */
  onBegin(config: { rootDir: string }): void {
    this.#begin(config.rootDir)
  }

  /** Playwright: a test ended, perhaps to be tried again. */
  onTestEnd(test: PlaywrightTest, result: { status: string }): void {
    const [, project, , ...titles] = test.titlePath()
    const { file } = test.location
    const name = withProject(titles.join(' > '), project)
    const state = result.status === 'timedOut' ? 'failed' : result.status
    this.#ended.set(`${file}\n${name}`, { file, name, state })
  }

  /** Playwright: all tests ended. */
  async onEnd(): Promise<void> {
    await this.#write([...this.#ended.values()])
  }

  /** Playwright: other reporters write to the terminal. */
  printsToStdio(): boolean {
    return false
  }

  #begin(root: string): void {
    this.#root = root
    this.#makeFolder()
    process.once('exit', () => this.#removeFolder())
  }

  async #write(tests: readonly RanTest[]): Promise<void> {
    const { outputFile = 'localpost-report.html', baseline, summaryFile } = this.#options
    const index = await writeReport({
      folder: this.#folder,
      root: this.#root,
      outputFile: resolve(outputFile),
      baseline: baseline ?? null,
      tests,
    })
    if (summaryFile !== undefined) await appendFile(summaryFile, summaryOf(index))
    process.stdout.write(`localpost: ${index.mails.length} mails in ${outputFile}\n`)
    this.#removeFolder()
    this.#makeFolder()
  }

  /** In the folder for temporary files, readable only by this user. Workers find it by the variable. */
  #makeFolder(): void {
    this.#folder = mkdtempSync(join(tmpdir(), 'localpost-report-'))
    process.env[folderVariable] = this.#folder
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The members of a module of vitest that are read. */
export interface VitestModule {
  moduleId: string
  project?: { name: string }
  children: { allTests(): Iterable<{ fullName: string; result(): { state: string } }> }
}

/** The members of a test of Playwright that are read. */
export interface PlaywrightTest {
  location: { file: string }
  titlePath(): string[]
}

/** The options that Playwright adds to those of a reporter. */
const playwrightOptions: readonly string[] = ['configDir', '_mode', '_commandHash']

function withProject(name: string, project = ''): string {
  return project === '' ? name : `[${project}] ${name}`
}

function checkOptions(options: ReportOptions): ReportOptions {
  const entries = Object.entries(options).filter(([name]) => !playwrightOptions.includes(name))
  const own: ReportOptions = Object.fromEntries(entries)
  assertKnownOptions(own, ['outputFile', 'baseline', 'summaryFile'], 'localpost/reporter')
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || (typeof value === 'string' && value !== '')) continue
    throw invalidOption(`Option "${name}" of localpost/reporter is ${quote(value)}; it takes a path.`)
  }
  return own
}
