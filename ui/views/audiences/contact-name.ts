import type { Contact } from '../../../src/audiences/types.ts'

/** The whole name of a contact; `""` if it has none. */
export const nameOf = ({ first_name, last_name }: Contact): string =>
  `${first_name ?? ''} ${last_name ?? ''}`.trim()
