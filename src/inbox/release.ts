import type { Readable } from 'node:stream'
import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { EmailRecord } from '../emails/email.ts'
import { normalizeAddress } from '../mime/headers/addresses.ts'

/** Sends one message to the relay and returns its reply. */
export type Relay = (email: EmailRecord, to: string, open: () => Promise<Readable>) => Promise<string>

export interface ReleaseDeps {
  /** Null if no relay is configured. */
  relay: Relay | null
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
  /** @throws message_pending. */
  open(email: EmailRecord): Promise<Readable>
}

/**
 * Sends a captured message to one real address.
 *
 * @throws not_found, relay_not_configured, relay_failed, validation_error, message_pending.
 */
export async function releaseMail(
  { relay, find, open }: ReleaseDeps,
  id: string,
  request: { to: string },
): Promise<{ id: string; to: string; smtp_response: string }> {
  assertKnownOptions(request, ['to'], 'inbox.release()')
  const { to } = request
  const email = await find(id)
  if (!relay) throw new LocalpostError('relay_not_configured', noRelay)
  const address = typeof to === 'string' ? normalizeAddress(to) : { problem: 'is not an address' }
  if ('problem' in address)
    throw validationError([{ field: 'to', message: `${quote(to)} ${address.problem}` }])
  const smtp_response = await keepAlive(() => relay(email, address.address, () => open(email)))
  return { id, to: address.address, smtp_response }
}

const noRelay =
  'No relay is configured. Start Localpost with the option `relay` or `--relay smtp://host:port`.'
