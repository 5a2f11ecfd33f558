/**
 * Runs every step in order, each after the previous one has ended, even if that failed. For closing.
 *
 * @throws The first error, once all have run.
 */
export async function runAll(steps: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/**
 * Begins every step at once, in order, and waits for all, also after one failed.
 *
 * @throws The first error in their order, once all have ended.
 */
export async function runTogether(steps: readonly (() => unknown)[]): Promise<void> {
  const endings = await Promise.allSettled(steps.map(async (step) => step()))
  const failed = endings.find((ending) => ending.status === 'rejected')
  if (failed) throw failed.reason
}
