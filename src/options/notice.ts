/** A warning or an error of the running instance; see the option `onNotice`. */
export interface Notice {
  level: 'warning' | 'error'
  message: string
  /** The cause, if there is one. */
  error?: unknown
}
