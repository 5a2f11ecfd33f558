import { isErrorOf } from '../core/errors.ts'

/** Waits for a removal, for one of many: what another request removed meanwhile is gone as well. */
export async function removed(removal: Promise<unknown>): Promise<void> {
  try {
    await removal
  } catch (error) {
    if (!isErrorOf(error, 'not_found')) throw error
  }
}
