import { isErrorOf } from '../core/errors.ts'
import type { Config } from '../options/options.ts'
import { storeErrors } from '../store/error-codes.ts'

type OnNotice = Pick<Config, 'onNotice'>

/** Makes a handler that passes an error to `onNotice` with this message. */
export function reportErrors({ onNotice }: OnNotice, message: string): (error: unknown) => void {
  return (error) => onNotice({ level: 'error', message, error })
}

/** The same, but as a warning where the store refuses, which is no fault of the program. */
export function reportFailures(
  { onNotice }: OnNotice,
  refused: string,
  message: string,
): (error: unknown) => void {
  return (error) =>
    onNotice(
      isErrorOf(error, ...storeErrors)
        ? { level: 'warning', message: refused, error }
        : { level: 'error', message, error },
    )
}
