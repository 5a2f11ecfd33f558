import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { dateNow } from '../core/machine.ts'
import { invalidOption, messageOf } from '../core/errors.ts'
import { readSecretFile } from './secret-file.ts'

/** A private key and its certificate in PEM, and sentences about their files. */
export interface ReadCertificate {
  certificate: { key: string; cert: string }
  warnings: string[]
}

/**
 * Reads the files of `--tls-cert` and `--tls-key`. An expired certificate is used, with a warning: tests may want one.
 *
 * @throws invalid_option if one of them is missing, cannot be read, or is no PEM, and if the certificate does not
 *   belong to the key. No message quotes the key.
 */
export async function readCertificate(paths: {
  cert: string | undefined
  key: string | undefined
}): Promise<ReadCertificate> {
  const { cert: certPath, key: keyPath } = paths
  const warnings: string[] = []
  if (certPath === undefined)
    throw invalidOption('--tls-key needs the certificate too: add --tls-cert <file>.')
  if (keyPath === undefined)
    throw invalidOption('--tls-cert needs the private key too: add --tls-key <file>.')
  // A certificate is public.
  const cert = `${(await readSecretFile(certPath, '--tls-cert')).join('\n')}\n`
  const key = `${(await readSecretFile(keyPath, '--tls-key', warnings)).join('\n')}\n`
  const first = parse(() => new X509Certificate(cert), `--tls-cert: ${certPath} is not a certificate in PEM`)
  const own = parse(
    () => createPrivateKey(key),
    `--tls-key: ${keyPath} is not a private key in PEM without a passphrase`,
  )
  if (!first.checkPrivateKey(own))
    throw invalidOption(
      `--tls-cert: the certificate in ${certPath} does not belong to the key in ${keyPath}.`,
    )
  parse(() => createSecureContext({ key, cert }), `--tls-cert: ${certPath} cannot be used for TLS`)
  const problem = validityProblem(first)
  if (problem !== null) warnings.push(`--tls-cert: the certificate in ${certPath} ${problem}`)
  return { certificate: { key, cert }, warnings }
}

function validityProblem({ validFrom, validTo }: X509Certificate): string | null {
  const now = dateNow()
  if (Date.parse(validTo) <= now) return `expired on ${validTo}; clients will refuse it.`
  if (Date.parse(validFrom) > now)
    return `is valid from ${validFrom} only; clients will refuse it until then.`
  return null
}

function parse<T>(read: () => T, complaint: string): T {
  try {
    return read()
  } catch (error) {
    const reason = messageOf(error)
    throw invalidOption(`${complaint} (${reason}).`, error)
  }
}
