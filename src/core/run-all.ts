/** Runs every step in order, even if one fails. @throws The first error, once all have run. */
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

/** Begins all steps at once, and waits for all of them. @throws The first error in their order, once all have ended. */
export async function runTogether(steps: readonly (() => unknown)[]): Promise<void> {
  const endings = await Promise.allSettled(steps.map(async (step) => step()))
  const failed = endings.find((ending) => ending.status === 'rejected')
  if (failed) throw failed.reason
}
