/** The codes of errors of a store that cannot read or store now. What was not stored may be repeated later. */
export const storeErrors = [
  'closed',
  'service_unavailable',
  'store_full',
  'store_failed',
  'store_read_only',
  'store_unknown',
] as const
