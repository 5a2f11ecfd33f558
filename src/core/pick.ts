import type { Complete } from './complete.ts'

/** The named members of an object, each present in the result even if it is undefined. */
export function pick<T, Name extends keyof T>(from: T, names: readonly Name[]): Complete<Pick<T, Name>> {
  const picked = {} as Complete<Pick<T, Name>>
  for (const name of names) picked[name] = from[name]
  return picked
}
