import { isErrorOf } from '../core/errors.ts'

/** What a read gives; null where it is rejected with not_found. */
export async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (isErrorOf(error, 'not_found')) return null
    throw error
  }
}
