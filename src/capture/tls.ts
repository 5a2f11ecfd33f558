import { generateKeyPair, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { dateNow } from '../core/machine.ts'

/** A private key and its certificate, in PEM. */
export interface KeyAndCertificate {
  key: string
  cert: string
}

/**
 * Creates a self-signed certificate for STARTTLS. It is valid for localhost, 127.0.0.1, ::1 and the given host name, for
 * one year that began yesterday. This takes about 0.1 seconds, mostly off the event loop.
 *
 * @param hostname  A host name or an IP address.
 */
export async function makeCertificate(hostname: string): Promise<KeyAndCertificate> {
  const [{ default: forge }, keys] = await Promise.all([
    import('node-forge'),
    promisify(generateKeyPair)('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }),
  ])
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey)
  // RFC 5280 section 4.1.2.2 requires a positive serial number.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
  const dayMs = 24 * 60 * 60 * 1000
  certificate.validity.notBefore = new Date(dateNow() - dayMs)
  certificate.validity.notAfter = new Date(dateNow() + 364 * dayMs)
  const subject = [{ name: 'commonName', value: 'Localpost (self-signed)' }]
  certificate.setSubject(subject)
  certificate.setIssuer(subject)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: ['localhost', '127.0.0.1', '::1', hostname].map(alternativeName) },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(keys.privateKey), forge.md.sha256.create())
  return { key: keys.privateKey, cert: forge.pki.certificateToPem(certificate) }
}

/** RFC 5280 section 4.2.1.6: 2 is a DNS name, 7 an IP address. */
function alternativeName(name: string): { type: 2; value: string } | { type: 7; ip: string } {
  return isIP(name) ? { type: 7, ip: name } : { type: 2, value: name }
}
