import { z } from 'zod'

/** The answer of an operation that has nothing to say. */
export const nothing = z.strictObject({})

/** Answers with {@link nothing} when the work is done. */
export async function done(work: Promise<unknown>): Promise<Record<string, never>> {
  await work
  return {}
}
