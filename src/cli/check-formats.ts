import { placeWords } from '../checks/place-words.ts'
import { checkRegistry } from '../checks/registry.ts'
import type { CheckReport, CheckRun, Finding, Severity } from '../checks/types.ts'
import { version } from '../core/version.ts'
import { paint, type Paint } from './output.ts'
import { visible } from './visible.ts'
import { escapedHtml } from '../core/text.ts'

/** A message and what the checks found in it. */
export interface CheckedMessage {
  /** The name for people. */
  name: string
  /** The path of its file; null for stored mail and standard input. */
  file: string | null
  report: CheckReport
}

type Format = (messages: readonly CheckedMessage[], fails: (finding: Finding) => boolean) => string

/** The formats of `localpost check --format`. */
export const checkFormats: Readonly<Record<'text' | 'json' | 'junit' | 'sarif', Format>> = {
  text: (messages) => messages.map(renderText).join('\n\n'),
  json: (messages) => json({ messages: messages.map(({ name, report }) => ({ name, ...report })) }),
  junit: renderJunit,
  sarif: (messages) => json(toSarif(messages)),
}

function renderText({ name, report: { findings, checks } }: CheckedMessage): string {
  const lines = findings.flatMap(({ severity, id, message, place, fix }) => [
    `  ${paint(colours[severity], severity.padEnd(7))}  ${id}: ${visible(message)}${place ? ` (${placeWords(place)})` : ''}`,
    ...(place?.snippet ? [paint('dim', `           ${visible(place.snippet)}`)] : []),
    `           ${fix}`,
  ])
  const runs = checks
    .filter(({ message }) => message !== null)
    .map((run) => {
      const word = isOpen(run) ? 'open' : run.outcome
      return `  ${paint('dim', word.padEnd(7))}  ${run.id}: ${visible(run.message ?? '')}`
    })
  const counts = (['error', 'warning', 'note'] as const).map((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return `${count} ${severity}${count === 1 ? '' : 's'}`
  })
  return [`${paint('bold', visible(name))}: ${counts.join(', ')}`, ...lines, ...runs].join('\n')
}

/** Whether a check has no result; its message says why. The message of another one says what it measured. */
const isOpen = ({ outcome }: CheckRun): boolean => outcome === 'skipped' || outcome === 'gave_up'

const colours: Readonly<Record<Severity, Paint>> = { error: 'red', warning: 'yellow', note: 'cyan' }

function renderJunit(messages: readonly CheckedMessage[], fails: (finding: Finding) => boolean): string {
  const suites = messages.map(({ name, report: { findings, checks } }) => {
    const cases = checks.map((run) => {
      const failing = findings.filter((finding) => finding.id === run.id && fails(finding))
      return { xml: testCase(name, run, failing), failed: failing.length > 0, run }
    })
    const failures = cases.filter(({ failed }) => failed).length
    const skipped = cases.filter(({ run }) => isOpen(run)).length
    const head = `name="${xml(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}" errors="0"`
    return `  <testsuite ${head}>\n${cases.map((one) => one.xml).join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="localpost check">\n${suites.join('\n')}\n</testsuites>`
}

function testCase(name: string, run: CheckRun, failing: readonly Finding[]): string {
  const { id, title, message } = run
  const head = `    <testcase classname="${xml(name)}" name="${xml(`${id}: ${title}`)}"`
  if (isOpen(run)) return `${head}><skipped message="${xml(message ?? '')}"/></testcase>`
  const measured = message === null ? '' : `<system-out>${xml(message)}</system-out>`
  if (failing.length === 0) return measured === '' ? `${head}/>` : `${head}>${measured}</testcase>`
  const lines = failing.map(
    ({ severity, message: said, place, fix }) =>
      `${severity}: ${said}${place ? ` (${placeWords(place)}) ${place.snippet ?? ''}` : ''} ${fix}`,
  )
  const failure = `<failure message="${xml(failing[0]?.message ?? '')}">${xml(lines.join('\n'))}</failure>`
  return `${head}>${failure}${measured}</testcase>`
}

/** JSON without characters that control a terminal. */
function json(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function xml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- XML 1.0 has no way to write these
  return escapedHtml(
    text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '\uFFFD'),
  )
}

/** @see SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
function toSarif(messages: readonly CheckedMessage[]): object {
  const rules = checkRegistry.map(({ id, title, about, fix, link, severity }) => ({
    id,
    shortDescription: { text: `${title}.` },
    fullDescription: { text: about },
    help: { text: fix },
    helpUri: link,
    defaultConfiguration: { level: severity },
  }))
  const results = messages.flatMap(({ name, file, report: { findings } }) =>
    findings.map(({ id, severity, message, place, fix }) => ({
      ruleId: id,
      level: severity,
      message: { text: `${message}${place?.snippet ? ` ${place.snippet}` : ''} ${fix}` },
      locations: [
        {
          // Line numbers refer to the decoded body, so they are no region of the file.
          ...(file !== null && {
            physicalLocation: { artifactLocation: { uri: uriOf(file) } },
          }),
          logicalLocations: [{ fullyQualifiedName: place ? `${name}: ${placeWords(place)}` : name }],
        },
      ],
    })),
  )
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'localpost', version, rules } }, results }],
  }
}

/** A path as a relative or absolute reference, in which `#` and `?` are part of a name. */
export function uriOf(path: string, platform: NodeJS.Platform = process.platform): string {
  const isWindows = platform === 'win32'
  const reference = path
    .split(isWindows ? /[/\\]/ : '/')
    .map(encodeURIComponent)
    .join('/')
  // A drive of Windows would be a scheme.
  return isWindows ? reference.replace(/^([a-z])%3A\//i, 'file:///$1:/') : reference
}
