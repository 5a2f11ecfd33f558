import { createECDH, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'

/** The key that a webhook's requests are signed with. */
export interface WebhookSigningKey {
  /** To check signatures with: base64 of DER, as SendGrid shows it. */
  readonly publicKey: string
  /** @returns The signature in base64 of DER: ECDSA with SHA-256. */
  sign(text: string): string
}

/**
 * Makes the key of a webhook, the same each time for the same secret: webhooks have no other place for a key.
 *
 * @param secret  `whsec_` and base64.
 * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
export function signingKeyOf(secret: string): WebhookSigningKey {
  const key = privateKeyOf(secret)
  return {
    get publicKey() {
      return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    },
    sign: (text) => sign('sha256', Buffer.from(text), key).toString('base64'),
  }
}

function privateKeyOf(secret: string): KeyObject {
  const bytes = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  // More bytes than the order has, so that the remainder is as good as evenly distributed: FIPS 186-5, A.2.1.
  const wide = Buffer.from(hkdfSync('sha256', bytes, '', 'sendgrid event webhook', 48)).toString('hex')
  const scalar = (BigInt(`0x${wide}`) % (order - 1n)) + 1n
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(d)
  const point = curve.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((one) => one.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', d: d.toString('base64url'), x, y }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

/** The order of P-256. @see SP 800-186, section 3.2.1.3 */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
