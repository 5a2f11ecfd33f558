import { type ErrorCode, errorTable, LocalpostError } from '../core/errors.ts'
import { errorAnswer, jsonType } from './answer.ts'
import type { Route } from './route.ts'

/** All error codes of a route: its own, and those that follow from its access rule, its body and the store. */
export function errorsOf(route: Route): ErrorCode[] {
  const isForUsers = route.access === 'local' && route.face?.credentialsOf !== undefined
  const ofUsers: ErrorCode[] = isForUsers ? ['invalid_credentials', 'service_unavailable'] : []
  const codes: ErrorCode[] = [
    ...(route.errors ?? []),
    ...byAccess[route.access],
    ...ofUsers,
    ...(route.body ? ofBody : []),
    ...(route.query ? (['validation_error'] as const) : []),
    ...(route.method === 'GET' ? [] : ofStore),
    'forbidden_host',
    'internal_error',
    'closed',
  ]
  return [...new Set(codes)].sort((a, b) => errorTable[a].status - errorTable[b].status)
}

const byAccess: Readonly<Record<Route['access'], readonly ErrorCode[]>> = {
  key: [
    'missing_api_key',
    'invalid_api_key',
    'insufficient_scope',
    'rate_limit_exceeded',
    'service_unavailable',
    'injected_fault',
    // The account of the key was disabled.
    'not_found',
  ],
  local: [
    'missing_api_key',
    'invalid_api_key',
    'insufficient_scope',
    'rate_limit_exceeded',
    'forbidden_origin',
    // The account that the query names does not exist, or is not the caller's.
    'not_found',
  ],
  open: ['forbidden_origin'],
  public: [],
}

const ofBody: readonly ErrorCode[] = [
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'service_unavailable',
  'validation_error',
]

const ofStore: readonly ErrorCode[] = ['store_full', 'store_read_only', 'store_failed', 'store_unknown']

/** The errors of a route that have one status. */
export interface ErrorGroup {
  readonly codes: ErrorCode[]
  /** The media type of their answers. */
  readonly type: string
}

/** The errors of a route by the statuses of their answers. */
export function groupByStatus(route: Route): Map<number, ErrorGroup> {
  const groups = new Map<number, ErrorGroup>()
  for (const code of errorsOf(route)) {
    const { status, headers } = errorAnswer(new LocalpostError(code, ''), route.face ?? null, route.path)
    const type = (headers['content-type'] ?? jsonType).replace(/;.*/s, '')
    const group = groups.get(status) ?? { codes: [], type }
    group.codes.push(code)
    groups.set(status, group)
  }
  return groups
}
