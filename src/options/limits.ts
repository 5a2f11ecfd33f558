import { LocalpostError, quote } from '../core/errors.ts'
import { suggest } from '../core/suggest.ts'

/** How much of a flood is held at once. Beyond, clients are told to try again; nothing acknowledged is touched. */
export interface Limits {
  /**
   * SMTP connections of clients. One more takes the place of a client that has sent nothing useful for two seconds;
   * where there is none, it is refused with 421 4.7.0. Default: 500.
   */
  smtpClients: number
  /**
   * The same for the connections of one address. All of loopback is one address, and so is an IPv6 network of 64 bits.
   * Default: nine tenths of `smtpClients`.
   */
  smtpClientsPerAddress: number
  /**
   * Bytes of messages that are being received and held in memory. Beyond, a message is written to the data folder
   * while it comes, however small it is. Default: 32 MiB. Without `dir` it has no effect.
   */
  smtpBytes: number
  /** Bytes of HTTP request bodies in memory; beyond, a request is answered 503. Default: 128 MiB. */
  requestBytes: number
  /** Bytes that wait to be stored; beyond, new mail is refused with 452 4.3.1 or 503. Default: 64 MiB. */
  pendingBytes: number
}

const MiB = 1024 * 1024

const defaults: Limits = {
  smtpClients: 500,
  smtpClientsPerAddress: 450,
  smtpBytes: 32 * MiB,
  requestBytes: 128 * MiB,
  pendingBytes: 64 * MiB,
}

/**
 * Fills in what was left out.
 *
 * @throws invalid_option for an unknown name, or what is no whole number above 0.
 */
export function resolveLimits(given: object = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults)
      const near = suggest(name, known)
      const hint = near ? `Did you mean "limits.${near}"?` : `Known: ${known.join(', ')}.`
      throw new LocalpostError('invalid_option', `Unknown option "limits.${name}". ${hint}`)
    }
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) continue
    throw new LocalpostError(
      'invalid_option',
      `Option "limits.${name}" is ${quote(value)}; it takes a whole number above 0.`,
    )
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const limits: Limits = { ...defaults, ...Object.fromEntries(set) }
  const isShareGiven = set.some(([name]) => name === 'smtpClientsPerAddress')
  return isShareGiven ? limits : { ...limits, smtpClientsPerAddress: Math.ceil(limits.smtpClients * 0.9) }
}
