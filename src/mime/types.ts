// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The result of checking a DKIM signature. */
export interface DkimResult {
  /** Tag `d=`, lower case. */
  domain: string
  /** Tag `s=`. */
  selector: string
  /**
   * `no_key`: this instance does not have the key, and looks nowhere else; `invalid`: the signature
   * cannot be checked.
   */
  result: 'pass' | 'fail' | 'no_key' | 'invalid'
  /** Why, as a sentence; null if it passed. */
  reason: string | null
}
