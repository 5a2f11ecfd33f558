import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { isErrorOf } from '../core/errors.ts'
import { assertRealTicks } from './real-ticks.ts'

/**
 * The same method, but its errors show the line that called it. When a promise rejects later, for example after a
 * timeout, the stack no longer contains the caller.
 */
export function fromCall<Given extends unknown[], T>(
  name: string,
  run: (...given: Given) => T | Promise<T>,
  assertOpen: () => void,
): (...given: Given) => Promise<T> {
  const method = (...given: Given): Promise<T> => {
    const frames = framesOfCaller(method)
    let answered: Promise<T> | undefined
    const answer = async (): Promise<T> => {
      try {
        assertOpen()
        assertRealTicks()
        return await run(...given)
      } catch (error) {
        // When the instance closes, promises that are not awaited yet reject; that must not count as unhandled rejections.
        if (isErrorOf(error, 'closed')) answered?.catch(() => {})
        throw withFramesOf(error, frames)
      }
    }
    answered = answer()
    return answered
  }
  return Object.defineProperty(method, 'name', { value: name })
}
