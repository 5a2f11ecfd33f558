/** How much of a header field is read for checks and lists of addresses, in characters: more than a real one has, while a hostile one has a megabyte. */
export const readLength = 10_000

/** How much of a URL the messages of checks show, in characters. */
export const shownUrlLength = 200
