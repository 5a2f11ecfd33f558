import { runCommand } from '../cli/command.ts'

/** How a run of a command ended: by the kill, or before it. */
export interface End {
  readonly killed: boolean
  readonly code: number | null
}

/**
 * Measures how long a command takes, for kills at random moments of it.
 *
 * @param whole  Runs the command to its end.
 * @returns Runs a command and kills it at a random moment, in the time that the whole one took.
 */
export async function killsDuring(
  whole: () => Promise<void>,
): Promise<(args: readonly string[]) => Promise<End>> {
  const began = performance.now()
  await whole()
  const took = performance.now() - began
  return async (args) => {
    const running = runCommand(args)
    // In the first part, the command only loads its code.
    const timer = setTimeout(() => process.kill(running.pid, 'SIGKILL'), took * (0.2 + 0.8 * Math.random()))
    const { code, signal } = await running.ended
    clearTimeout(timer)
    return { killed: signal === 'SIGKILL', code }
  }
}
