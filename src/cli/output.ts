import { styleText } from 'node:util'
import type { ConsolaInstance, LogObject } from 'consola/core'
import { createConsola, LogLevels } from 'consola/core'

/** Where the command speaks: `log` to stdout, `warn` and `error` to stderr. */
export type Output = Pick<ConsolaInstance, 'log' | 'warn' | 'error'>

/** A colour or weight that `paint` knows. */
export type Paint = 'bold' | 'dim' | 'cyan' | 'yellow' | 'red'

/**
 * Makes the command's output.
 *
 * @param quiet  Leaves only warnings and errors.
 */
export function createOutput(quiet: boolean): Output {
  // Whoever reads the output may go away (`localpost | head`); that is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore)
  }
  return createConsola({
    level: quiet ? LogLevels.warn : LogLevels.log,
    reporters: [{ log: write }],
    throttle: 0,
  })
}

/** Colours a text, if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Paint, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text
}

function write({ level, args, type }: LogObject): void {
  const text = args.map(String).join(' ')
  if (level > LogLevels.warn) {
    process.stdout.write(`${text}\n`)
    return
  }
  const label =
    type === 'warn' ? paint('yellow', 'warning', process.stderr) : paint('red', 'error', process.stderr)
  process.stderr.write(`${label}: ${text}\n`)
}

function ignore(): void {}
