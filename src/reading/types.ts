// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** A link of a mail. */
export interface Link {
  href: string
  /** The link’s own text; the address itself in the text part. */
  text: string
}
