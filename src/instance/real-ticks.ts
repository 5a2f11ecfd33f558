import { invalidOption } from '../core/errors.ts'
import { processGlobals } from '../core/natives.ts'

/**
 * Refuses a faked `process.nextTick`: Node's sockets and files stop working with it, so every call would time out. Jest
 * fakes only that of its copy of the process, which Node does not use.
 *
 * @throws invalid_option with what to fake instead.
 */
export function assertRealTicks(): void {
  // Not written as a member of `process`, because the build would replace that by the real one.
  const { nextTick } = processGlobals.process
  // Fake timers, such as those of vitest and Jest, leave their `clock` on each function that they replace.
  if (!Object.hasOwn(nextTick, 'clock')) return
  throw invalidOption(tickFault)
}

const tickFault =
  "process.nextTick is fake, and Node's sockets and files do not work without the real one. Leave it out: vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })."
