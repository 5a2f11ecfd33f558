/** A warning or an error of the running instance that belongs to no request. */
export interface Notice {
  level: 'warning' | 'error'
  message: string
  /** The cause, where there is one. */
  error?: unknown
}
