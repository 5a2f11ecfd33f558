/** The first number below `end` that meets a condition, or `end`. All numbers after it must meet the condition too. */
export function firstWhere(end: number, holds: (i: number) => boolean): number {
  let low = 0
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
