// Apart from what starts Chromium: the types of the entry points name this one, and must not name `playwright-core`.

/** Where Chromium comes from. */
export interface ChromiumPlaces {
  /** Files that may require `playwright-core`: that of the project first. Default: the folder of the process, this file. */
  requirers?: readonly string[]
  /** Default: `CHROMIUM_PATH`, or the browser that `playwright-core` installed. */
  executablePath?: string | undefined
}
