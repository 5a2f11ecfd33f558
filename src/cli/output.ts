import { styleText } from 'node:util'
import { dateNow } from '../core/machine.ts'
import { jsonLine, type LogEvent, type LogLevel } from './json-line.ts'

/** Where the command writes to. */
export interface Output {
  /** Whether lines are JSON objects, for programs; then the texts are their member `message`. */
  readonly isJson?: boolean
  /** To stdout. @param event  What happened, for programs. */
  log(text: string, event?: LogEvent): void
  /** Whether `log` writes something, and what it wrote was read. A pipe that is not read would fill the memory. */
  canLog(): boolean
  /** To stderr; JSON to stdout. */
  warn(text: string, event?: LogEvent): void
  /** To stderr; JSON to stdout. */
  error(text: string, event?: LogEvent): void
}

/** A colour or weight that `paint` knows. */
export type Paint = 'bold' | 'dim' | 'cyan' | 'yellow' | 'red'

/**
 * Makes the command's output.
 *
 * @param quiet  Writes only warnings and errors.
 */
export function createOutput(quiet: boolean): Output {
  ignoreClosedReaders()
  const label = (style: Paint, word: string): string => paint(style, word, process.stderr)
  return {
    log: (text) => void (quiet || process.stdout.write(`${text}\n`)),
    canLog: () => !quiet && !process.stdout.writableNeedDrain,
    warn: (text) => void process.stderr.write(`${label('yellow', 'warning')}: ${text}\n`),
    error: (text) => void process.stderr.write(`${label('red', 'error')}: ${text}\n`),
  }
}

/** The output as JSON, one object a line: everything goes to stdout, so that the order stays. */
export function createJsonOutput(quiet: boolean): Output {
  ignoreClosedReaders()
  const write =
    (level: LogLevel) =>
    (message: string, event?: LogEvent): void =>
      void process.stdout.write(`${jsonLine(dateNow(), level, message, event)}\n`)
  const log = write('info')
  return {
    isJson: true,
    log: (text, event) => void (quiet || log(text, event)),
    canLog: () => !quiet && !process.stdout.writableNeedDrain,
    warn: write('warning'),
    error: write('error'),
  }
}

// The reader of the output may close it (`localpost | head`); that is no reason to stop.
function ignoreClosedReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore)
  }
}

/** Colours a text, if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Paint, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text
}

function ignore(): void {}
