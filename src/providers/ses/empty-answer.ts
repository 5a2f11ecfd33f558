import { z } from 'zod'

/** The answer of an operation that has nothing to say. */
export const emptyAnswer = z.strictObject({})

/** Answers with {@link emptyAnswer} when the work is done. */
export async function answerEmpty(work: Promise<unknown>): Promise<Record<string, never>> {
  await work
  return {}
}
