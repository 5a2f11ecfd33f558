import { collections } from '../instance/collections.ts'
import { LocalpostError } from '../core/errors.ts'
import { inspectFolder, type Finding, type Inspection } from '../store/doctor/inspect.ts'
import { parseArguments } from './arguments.ts'
import { type Output, paint } from './output.ts'
import { resolveSettings } from './settings.ts'

/**
 * Runs `localpost doctor`: checks a data folder and prints what it found. It only reads.
 *
 * @param raw  The arguments after `doctor`.
 * @returns The exit code: 0 healthy, 1 problems found.
 * @throws invalid_option for a wrong command line.
 */
export async function runDoctor(raw: readonly string[], output: Output): Promise<0 | 1> {
  const asJson = raw.includes('--json')
  const given = parseArguments(raw.filter((word) => word !== '--json'))
  if (given.help) {
    output.log(usage)
    return 0
  }
  const other = Object.keys(given.options).find((name) => name !== 'dir')
  if (other !== undefined || given.version)
    throw new LocalpostError('invalid_option', `doctor takes --dir, --config, --json and --help only.`)
  const { options } = await resolveSettings(given, process.env, process.cwd())
  if (options.dir === undefined) {
    const message = 'doctor checks a data folder, and memory is configured: give --dir <folder>.'
    throw new LocalpostError('invalid_option', message)
  }
  const inspection = await inspectFolder({ dir: options.dir, collections })
  output.log(asJson ? JSON.stringify(inspection, null, 2) : renderInspection(inspection))
  return inspection.healthy ? 0 : 1
}

const usage = `localpost doctor [--dir <folder>] [--config <file>] [--json]

Checks a data folder from end to end: lock, records, log, messages, disk. It only reads, and works while an
instance runs. Exit codes: 0 healthy, 1 problems found, 2 wrong usage.`

/** An inspection as a person reads it: one line for each finding, and what it comes to. */
function renderInspection({ folder, healthy, findings }: Inspection): string {
  const problems = findings.filter(({ level }) => level === 'problem').length
  const summary = healthy
    ? `${folder} is healthy.`
    : `${folder} has ${problems} problem${problems === 1 ? '' : 's'}.`
  return [...findings.map(lineOf), summary].join('\n')
}

function lineOf({ level, message, mend }: Finding): string {
  const label =
    level === 'problem' ? paint('red', 'problem') : level === 'note' ? paint('yellow', 'note   ') : 'ok     '
  return `${label}  ${message}${mend === null ? '' : ` ${mend}`}`
}
