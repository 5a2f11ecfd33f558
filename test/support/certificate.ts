import { generateKeyPairSync } from 'node:crypto'
import { connect } from 'node:tls'
import forge from 'node-forge'

/**
 * A self-signed certificate and its private key.
 *
 * @param days  The beginning and the end of its validity, in days from now.
 * @param host  The only host in it. Default: localhost and 127.0.0.1.
 */
export function certificateFor(
  name: string,
  days: { from: number; to: number } = { from: -1, to: 30 },
  host?: string,
): { key: string; cert: string } {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey)
  certificate.serialNumber = '0102'
  const dayMs = 24 * 60 * 60 * 1000
  certificate.validity.notBefore = new Date(Date.now() + days.from * dayMs)
  certificate.validity.notAfter = new Date(Date.now() + days.to * dayMs)
  certificate.setSubject([{ name: 'commonName', value: name }])
  certificate.setIssuer([{ name: 'commonName', value: name }])
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    {
      name: 'subjectAltName',
      altNames:
        host === undefined
          ? [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
            ]
          : [{ type: 2, value: host }],
    },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(keys.privateKey), forge.md.sha256.create())
  return { key: keys.privateKey, cert: forge.pki.certificateToPem(certificate) }
}

/** The name in the certificate that a port of 127.0.0.1 shows. */
export function certificateNameAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
