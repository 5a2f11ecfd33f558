import { LocalpostError, quote } from '../../core/errors.ts'

/**
 * Reads the domain of a path. It need not be registered: what is not may send as well.
 *
 * @throws not_found for what can be none.
 */
export function readDomain(name: string): string {
  if (
    /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,10}[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i.test(
      name,
    )
  )
    return name.toLowerCase()
  throw new LocalpostError('not_found', `Domain not found: ${quote(name)}`)
}
