// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** A link of a mail. */
export interface Link {
  href: string
  /** The link’s own text; the address itself where it stands in the text part. */
  text: string
}
