/**
 * Draws a random number: at least 0, less than 1. The same state gives the same sequence (mulberry32), so it must not be used
 * for secrets.
 *
 * @param state  At first the seed: an integer from 0 to 4,294,967,295.
 * @returns The number, and the state for the next one.
 */
export function draw(state: number): { value: number; next: number } {
  const next = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(next ^ (next >>> 15), next | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, next }
}
