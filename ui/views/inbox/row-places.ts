/** Where the rows of a list are, of which some have a heading above them. All lengths are in pixels. */
export interface RowPlaces {
  /** The distance of a row from the top of the list; its heading is above that. */
  topOf(index: number): number
  /** The row at a distance from the top, or the one below the heading there; not limited by the length of the list. */
  indexAt(distance: number): number
  /** The distance of the next heading below a row; null if none is known. */
  nextHeading(index: number): number | null
}

/** @param headed  The positions of the rows with a heading, in ascending order. */
export function placeRows(row: number, heading: number, headed: readonly number[]): RowPlaces {
  const headingsTo = (index: number): number => {
    const after = headed.findIndex((one) => one > index)
    return after === -1 ? headed.length : after
  }
  const topOf = (index: number): number => index * row + headingsTo(index) * heading
  return {
    topOf,
    indexAt(distance) {
      const above = headed.findLastIndex((one) => topOf(one) - heading <= distance)
      const first = headed[above] ?? 0
      const found = Math.floor((distance - (above + 1) * heading) / row)
      return Math.max(first, found)
    },
    nextHeading(index) {
      const next = headed[headingsTo(index)]
      return next === undefined ? null : topOf(next) - heading
    },
  }
}
