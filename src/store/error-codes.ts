/**
 * The codes of errors of a store that cannot read or store now, which may pass. After `store_unknown`, what was to be
 * stored may be there already.
 */
export const storeErrors = [
  'closed',
  'service_unavailable',
  'store_full',
  'store_failed',
  'store_read_only',
  'store_unknown',
] as const
