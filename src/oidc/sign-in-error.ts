import { LocalpostError } from '../core/errors.ts'
import { isRecord } from '../core/members.ts'
import { quote, shorten } from '../core/quote.ts'
import { ProviderFailure } from './fetch.ts'

/**
 * The error that a browser is shown for one of `openid-client`. What went wrong between Localpost and the provider is for
 * the operator: it may name addresses of an internal network.
 *
 * @param report  Called with what is for the operator.
 */
export function signInError(error: unknown, host: string, report: (reason: string) => void): LocalpostError {
  if (error instanceof LocalpostError) return error
  const chain = causesOf(error)
  const failed = (what: string): LocalpostError =>
    new LocalpostError('sign_in_failed', `The sign-in with ${host} failed: ${what}`, { cause: error })
  const oauth = chain.find((one) => typeof one['error'] === 'string')
  // Both are undefined if no error in the chain is one of OAuth.
  const [refusal, description] = [oauth?.['error'], oauth?.['error_description']]
  const details = typeof description === 'string' ? ` (${quote(description)})` : ''
  const answered = `it answered ${shorten(String(refusal), 80)}${details}.`
  if (oauth?.['name'] === 'AuthorizationResponseError') return failed(answered)
  if (refusal === 'invalid_grant') return failed('the code has expired, or it was used before.')
  const [first] = chain
  if (first && tokenCodes.has(first['code'])) return failed(`${tokenProblem(chain)}.`)
  report(shorten(refusal === undefined ? providerReason(error) : answered, 500))
  const message = `${host} cannot be used to sign in now. Try again later; the log of Localpost says why.`
  return new LocalpostError('provider_unavailable', message, { cause: error })
}

/** The message of an error: our own reason if it has one, otherwise the messages of the whole chain. */
export function providerReason(error: unknown): string {
  const chain = causesOf(error)
  return chain.find((one) => one instanceof ProviderFailure)?.message ?? messagesOf(chain)
}

const tokenCodes = new Set<unknown>([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

/** `unexpected JWT claim value encountered (nonce)` */
function tokenProblem(chain: readonly Readonly<Record<string, unknown>>[]): string {
  const claim = chain.map((one) => one['claim']).find((name) => typeof name === 'string')
  return `${messagesOf(chain)}${claim === undefined ? '' : ` (${claim})`}`
}

function messagesOf(chain: readonly Readonly<Record<string, unknown>>[]): string {
  const messages = chain
    .map((one) => one['message'])
    .filter((text) => typeof text === 'string' && text !== '')
  return [...new Set(messages)].join(': ') || 'its answer cannot be used'
}

/** An error, and what it says it was caused by. */
function causesOf(error: unknown): Readonly<Record<string, unknown>>[] {
  const chain: Readonly<Record<string, unknown>>[] = []
  for (let one = error; isRecord(one) && chain.length < 5; one = one['cause']) chain.push(one)
  return chain
}
