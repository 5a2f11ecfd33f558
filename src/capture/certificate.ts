import { generateKeyPair, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { dateNow } from '../core/machine.ts'

/** A private key and its certificate, in PEM. */
export interface KeyAndCertificate {
  key: string
  cert: string
}

/** A certificate that Localpost made, and the certificate of the authority (CA) that signed it, in PEM. */
export interface MadeCertificate extends KeyAndCertificate {
  ca: string
}

/**
 * Creates a certificate for TLS over SMTP, and a certificate authority (CA) that signs it. Clients trust the CA, because
 * many refuse to take a server's own certificate as one. The key of the CA is dropped, so that nothing else can ever be
 * signed with it: trusting the CA is trusting this one certificate.
 *
 * Both are valid for two years that began yesterday; the certificate is valid for localhost, 127.0.0.1, ::1 and the
 * given host name. This takes about 0.2 seconds, mostly off the event loop.
 *
 * @param hostname  A host name or an IP address.
 */
export async function makeCertificate(hostname: string): Promise<MadeCertificate> {
  const [{ default: forge }, own, authority] = await Promise.all([import('node-forge'), newKeys(), newKeys()])
  const { pki } = forge
  // Two instances have different names, so that a client with several of their CAs finds the right one.
  const issuer = [{ name: 'commonName', value: `Localpost CA ${randomBytes(4).toString('hex')}` }]
  const dayMs = 24 * 60 * 60 * 1000
  const newCertificate = (publicKey: string, subject: { name: string; value: string }[]) => {
    const certificate = pki.createCertificate()
    certificate.publicKey = pki.publicKeyFromPem(publicKey)
    // RFC 5280 section 4.1.2.2 requires a positive serial number.
    certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
    certificate.validity.notBefore = new Date(dateNow() - dayMs)
    certificate.validity.notAfter = new Date(dateNow() + 729 * dayMs)
    certificate.setSubject(subject)
    certificate.setIssuer(issuer)
    return certificate
  }
  const ca = newCertificate(authority.publicKey, issuer)
  const cert = newCertificate(own.publicKey, [{ name: 'commonName', value: 'Localpost' }])
  // Strict clients, such as Python 3.13, want what RFC 5280 section 4.2.1 requires: key identifiers, and critical marks.
  ca.setExtensions([
    { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ])
  cert.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: ca.generateSubjectKeyIdentifier().getBytes() },
    { name: 'subjectAltName', altNames: ['localhost', '127.0.0.1', '::1', hostname].map(alternativeName) },
  ])
  for (const certificate of [ca, cert])
    certificate.sign(pki.privateKeyFromPem(authority.privateKey), forge.md.sha256.create())
  const toPem = (certificate: typeof ca): string => pki.certificateToPem(certificate).replaceAll('\r\n', '\n')
  return { key: own.privateKey, cert: toPem(cert), ca: toPem(ca) }
}

function newKeys(): Promise<{ publicKey: string; privateKey: string }> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

/** RFC 5280 section 4.2.1.6: 2 is a DNS name, 7 an IP address. */
function alternativeName(name: string): { type: 2; value: string } | { type: 7; ip: string } {
  return isIP(name) ? { type: 7, ip: name } : { type: 2, value: name }
}
