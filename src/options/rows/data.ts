/** Where the data is, and how much of it is kept. */
export const dataRows = {
  /** Data folder; it is created if it does not exist. Default: none, everything stays in memory. */
  dir: {
    kind: 'folder',
    default: null,
    commandDefault: './.localpost',
    flag: 'dir',
    often: true,
    help: 'Data folder; created if it does not exist',
  },
  /**
   * A PostgreSQL database (version 13 or later) that holds all data instead of a data folder:
   * `postgres://user:password@host:5432/database`, with `?schema=name` for another schema than `localpost`. Several
   * instances may use the same schema. Needs the package `pg`. Default: none.
   */
  store: {
    kind: 'store',
    default: null,
    flag: 'store',
    help: 'PostgreSQL database instead of a data folder: postgres://user:password@host/database',
  },
  /** Keeps everything in memory instead of a data folder. Default: false. */
  memory: {
    kind: 'switch',
    default: false,
    command: true,
    flag: 'memory',
    often: true,
    help: 'Keep everything in memory, without a data folder',
  },
  /**
   * `process`: acknowledged mail survives the end of the process. `disk`: it also survives a power cut, because each
   * acknowledgement waits for fdatasync. No effect without `dir`. Default: `process`.
   */
  durability: {
    kind: 'choice',
    values: ['process', 'disk'],
    default: 'process',
    flag: 'durability',
    help: 'Acknowledged mail survives a killed process (process) or also a power cut (disk)',
  },
  /**
   * Maximum number of emails to keep. The oldest are deleted first, shortly after new mail arrives; emails that are
   * still being sent are kept. Default: no limit.
   */
  maxEmails: {
    kind: 'count',
    default: null,
    flag: 'max-emails',
    often: true,
    help: 'Maximum number of emails to keep; the oldest are deleted first',
  },
  /**
   * Maximum age of emails in milliseconds; older ones are deleted, unless they are still being sent. Default: no limit.
   */
  maxAgeMs: {
    kind: 'ms',
    min: 1,
    default: null,
    flag: 'max-age',
    help: 'Delete emails older than this, such as 7d, 12h or 90m',
  },
} as const
