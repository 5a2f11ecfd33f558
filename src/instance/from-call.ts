import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { invalidOption, isErrorOf } from '../core/errors.ts'
import { host } from '../core/natives.ts'

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

/**
 * Refuses a faked `process.nextTick`: Node's sockets and files stop working with it, so every call would time out. Jest
 * fakes only that of its copy of the process, which Node does not use.
 *
 * @throws invalid_option with what to fake instead.
 */
export function assertRealTicks(): void {
  // Not written as a member of `process`, because the build would replace that by the real one.
  const { nextTick } = host.process
  if (!Object.hasOwn(nextTick, 'clock')) return
  throw invalidOption(tickFault)
}

const tickFault =
  "process.nextTick is fake, and Node's sockets and files do not work without the real one. Leave it out: vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })."
