import { createHash } from 'node:crypto'
import { mkdir, open, rename, type FileHandle } from 'node:fs/promises'
import { basename, dirname, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { messageOf } from '../core/errors.ts'
import { diffLines, type DiffLine } from '../compare/line-diff.ts'
import { createMask } from '../compare/masks.ts'
import { dateNow } from '../core/machine.ts'
import { readBaseline, type Baseline } from './baseline.ts'
import { readRecords, reportLimits, type ReportLimits } from './collect.ts'
import { bodyOpening, pageBeginning, pageEnd } from './page.ts'
import type { MailRecord, ReportIndex, ReportMail, TestRecord, WrittenMail } from './data.ts'

/** A test of a run: `file` as the test hands it over. */
export interface RanTest {
  file: string
  name: string
  /** As `passed` or `failed`; `skipped` where it did not run. */
  state: string
}

/** The input of {@link writeReport}. */
export interface ReportInput {
  /** Where the tests put their mails. */
  folder: string
  /** Names of test files are relative to it. */
  root: string
  outputFile: string
  /** The report to compare with; null for none. */
  baseline: string | null
  tests: readonly RanTest[]
  /** Default: {@link reportLimits}. */
  limits?: ReportLimits
}

/**
 * Writes the report of a run: one HTML file that needs nothing else. Mails are written one after the other, compressed,
 * so that the memory of many is not needed at once.
 *
 * @returns The list of its mails, for a summary.
 */
export async function writeReport(input: ReportInput): Promise<ReportIndex> {
  const { folder, outputFile, limits = reportLimits } = input
  const problems: string[] = []
  let unlisted = 0
  const onProblem = (said: string): void => {
    if (problems.length < maxProblems) problems.push(said)
    else unlisted++
  }
  const baseline = await openBaseline(input.baseline, onProblem)
  await mkdir(dirname(outputFile), { recursive: true })
  const part = `${outputFile}.part`
  const output = await open(part, 'w')
  try {
    await output.write(pageBeginning())
    const mails = await writeMails(output, readRecords(folder, limits, onProblem), input, baseline)
    const index: ReportIndex = {
      version: 1,
      written: dateNow(),
      mails,
      gone: baseline ? goneOf(baseline, new Set(mails.map(({ key }) => key)), input) : [],
      problems: unlisted > 0 ? [...problems, `And ${unlisted} more.`] : problems,
      baseline: baseline && input.baseline !== null ? basename(input.baseline) : null,
    }
    await output.write(pageEnd(index))
    await output.close()
    await rename(part, outputFile)
    return index
  } finally {
    await output.close().catch(() => {})
  }
}

const maxProblems = 100

/** Writes the body of each mail. @returns The list of the mails. */
async function writeMails(
  output: FileHandle,
  records: AsyncIterable<TestRecord>,
  { tests, root }: ReportInput,
  baseline: Baseline | null,
): Promise<ReportMail[]> {
  const states = new Map(tests.map(({ file, name, state }) => [`${file}\n${name}`, state]))
  const mails: ReportMail[] = []
  /** How many mails have the same key so far: it gets a number. */
  const counts = new Map<string, number>()
  for await (const record of records) {
    const state = states.get(`${record.file}\n${record.name}`) ?? ''
    for (const mail of record.mails) {
      const listed = toReportMail(mail, record, { state, root })
      const sameKey = keyWithoutNumber(listed)
      const count = (counts.get(sameKey) ?? 0) + 1
      counts.set(sameKey, count)
      const key = `${sameKey}\n${count}`
      const { digest } = listed
      const { change, diff } = await compareWith(baseline, { key, digest, snapshot: mail.snapshot })
      const written: WrittenMail = { ...mail, diff }
      const body = await zip(JSON.stringify(written))
      await output.write(`${bodyOpening(mails.length)}${body.toString('base64')}</script>\n`)
      mails.push({ key, ...listed, change })
    }
  }
  return mails
}

const zip = promisify(gzip)

async function openBaseline(
  path: string | null,
  onProblem: (said: string) => void,
): Promise<Baseline | null> {
  if (path === null) return null
  try {
    return await readBaseline(path)
  } catch (error) {
    const why = messageOf(error)
    onProblem(`The run is not compared: the baseline ${path} cannot be read (${why.slice(0, 300)}).`)
    return null
  }
}

/** What is known of a mail before it is numbered and compared. */
type ListedMail = Omit<ReportMail, 'key' | 'change'>

/** Without what differs from run to run, such as the numbers in addresses. */
function keyWithoutNumber({ file, test, to }: ListedMail): string {
  return [file, test, to.map(createMask()).join(', ')].join('\n')
}

function toReportMail(
  mail: MailRecord,
  test: TestRecord,
  { state, root }: { state: string; root: string },
): ListedMail {
  const file = shortPath(test.file, root)
  const count = (severity: string): number => mail.findings.filter((one) => one.severity === severity).length
  const outcomes = [...new Set(mail.recipients.map(({ outcome }) => outcome))]
  return {
    file,
    test: test.name,
    state,
    from: mail.from,
    to: mail.to,
    subject: mail.subject,
    received: mail.received,
    outcome: outcomes.join(', '),
    errors: count('error'),
    warnings: count('warning'),
    digest: createHash('sha256').update(mail.snapshot).digest('hex'),
  }
}

async function compareWith(
  baseline: Baseline | null,
  { key, digest, snapshot }: { key: string; digest: string; snapshot: string },
): Promise<{ change: ReportMail['change']; diff: DiffLine[] | null }> {
  const before = baseline?.mails.get(key)
  if (!baseline) return { change: null, diff: null }
  if (!before) return { change: 'new', diff: null }
  if (before.digest === digest) return { change: 'same', diff: null }
  const earlier = await baseline.snapshot(key)
  const diff = earlier === null ? null : diffLines(earlier.split('\n'), snapshot.split('\n'))
  return { change: 'changed', diff }
}

/** Mails that are only in the baseline: of tests that ran, or of tests that their test file no longer has. */
function goneOf(
  baseline: Baseline,
  present: ReadonlySet<string>,
  { tests, root }: ReportInput,
): ReportIndex['gone'] {
  const states = new Map(tests.map(({ file, name, state }) => [`${shortPath(file, root)}\n${name}`, state]))
  const files = new Set(
    tests.filter(({ state }) => state !== 'skipped').map(({ file }) => shortPath(file, root)),
  )
  return [...baseline.mails.values()]
    .filter(({ key, file, test }) => {
      const state = states.get(`${file}\n${test}`)
      return !present.has(key) && files.has(file) && state !== 'skipped'
    })
    .map(({ file, test, to, subject }) => ({ file, test, to, subject }))
}

function shortPath(file: string, root: string): string {
  return relative(root, file).replaceAll(sep, '/')
}
