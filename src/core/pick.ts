import type { Complete } from './complete.ts'

/** The keys of an object literal, typed. The object must have no others. */
export function keysOf<T extends object>(object: T): readonly (keyof T)[] {
  return Object.keys(object) as (keyof T)[]
}

/** The named members of an object, each present in the result even if it is undefined. */
export function pick<T, Name extends keyof T>(from: T, names: readonly Name[]): Complete<Pick<T, Name>> {
  const picked = {} as Complete<Pick<T, Name>>
  for (const name of names) picked[name] = from[name]
  return picked
}
