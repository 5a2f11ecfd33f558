import { styleText } from 'node:util'

/** Where the command writes to. */
export interface Output {
  /** To stdout. */
  log(text: string): void
  /** Whether `log` writes something, and what it wrote was read. A pipe that is not read would fill the memory. */
  canLog(): boolean
  /** To stderr. */
  warn(text: string): void
  /** To stderr. */
  error(text: string): void
}

/** A colour or weight that `paint` knows. */
export type Paint = 'bold' | 'dim' | 'cyan' | 'yellow' | 'red'

/**
 * Makes the command's output.
 *
 * @param quiet  Writes only warnings and errors.
 */
export function createOutput(quiet: boolean): Output {
  // The reader of the output may close it (`localpost | head`); that is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore)
  }
  const label = (style: Paint, word: string): string => paint(style, word, process.stderr)
  return {
    log: (text) => void (quiet || process.stdout.write(`${text}\n`)),
    canLog: () => !quiet && !process.stdout.writableNeedDrain,
    warn: (text) => void process.stderr.write(`${label('yellow', 'warning')}: ${text}\n`),
    error: (text) => void process.stderr.write(`${label('red', 'error')}: ${text}\n`),
  }
}

/** Colours a text, if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Paint, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text
}

function ignore(): void {}
