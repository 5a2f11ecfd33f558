import { escapeInvisible } from './visible.ts'

/** How important a line of the log is. */
export type LogLevel = 'info' | 'warning' | 'error'

/** The names of what the server tells about: the member `what` of each line in JSON. */
export const loggedEventNames = [
  'started',
  'mail.captured',
  'refused',
  'left_out',
  'notice',
  'certificate.read',
  'stopping',
  'stopped',
  'error',
] as const

/** Something that happened, as a line of the log in JSON has it. Members that are undefined are left out. */
export interface LogEvent {
  readonly what: (typeof loggedEventNames)[number]
  /** The name of the account that it concerns. */
  readonly account?: string | undefined
  /** The id of the mail that it concerns. */
  readonly id?: string | undefined
  /** How long it took, in milliseconds. */
  readonly duration_ms?: number | undefined
  /** Further members. */
  readonly [member: string]: unknown
}

/**
 * A line of the log in JSON, without its line end. Texts may come from anybody: what a terminal would obey, or what ends a
 * line for some programs, is escaped.
 *
 * @param now  Unix time in milliseconds.
 * @param message  For people; `""` for none.
 */
export function jsonLine(now: number, level: LogLevel, message: string, event?: LogEvent): string {
  const { what = level === 'error' ? 'error' : 'notice', duration_ms, ...members } = event ?? {}
  const line = {
    time: new Date(now).toISOString(),
    level,
    what,
    ...(message !== '' && { message }),
    ...members,
    ...(duration_ms !== undefined && { duration_ms: Math.round(duration_ms * 1000) / 1000 }),
  }
  return escapeInvisible(JSON.stringify(line))
}
