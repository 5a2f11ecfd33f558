import type { ErrorCode } from '../../core/errors.ts'

/** The members that every route under `/dev/inbox` has in common. */
export const inboxRoute = { tag: 'Inbox', access: 'local' } as const

/** The errors of a route that reads a stored message. */
export const readErrors: readonly ErrorCode[] = [
  'not_found',
  'service_unavailable',
  'store_corrupt',
  'store_failed',
]
