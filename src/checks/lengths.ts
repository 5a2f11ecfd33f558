/** How many characters of a header field are read. A real field is shorter; a hostile one may have a megabyte. */
export const readLength = 10_000

/** How much of a URL the messages of checks show, in characters. */
export const shownUrlLength = 200
