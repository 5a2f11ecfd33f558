import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { messageOf } from '../core/errors.ts'
import { makeCertificate, type MadeCertificate } from '../capture/certificate.ts'
import { withFile, writeWhole } from '../core/files.ts'
import { dateNow } from '../core/machine.ts'
import type { Config } from '../options/options.ts'
import { nodeFiles } from '../core/node-files.ts'

/** The certificate that Localpost made for its SMTP ports. */
export interface OwnCertificate extends MadeCertificate {
  /** The absolute path of the file with the CA; null if it is only in memory. */
  caFile: string | null
}

/**
 * The certificate for the SMTP ports where TLS is on and no option gives one. A data folder keeps it, so that clients
 * which trust its CA still do after a restart. It is made again when it ends within 30 days, is not for the host name, or
 * cannot be read. If the folder cannot be written, it lasts until the instance closes, and a notice says so.
 *
 * The process must hold the lock of the folder.
 *
 * @returns null where no certificate of its own is needed.
 */
export async function openCertificate(config: Config): Promise<OwnCertificate | null> {
  const { dir, hostname, onNotice } = config
  const isGiven = config.tls !== null || typeof config.smtpTls === 'object'
  if (isGiven || (config.smtpTls === false && config.smtpsPort === null)) return null
  if (dir === null) return { ...(await makeCertificate(hostname)), caFile: null }
  const files = { ca: join(dir, caName), own: join(dir, ownName) }
  const caFile = resolve(files.ca)
  const kept = await readKept(files, hostname)
  if (kept.state === 'good') return { ...kept.certificate, caFile }
  const made = await makeCertificate(hostname)
  if (kept.state === 'untouchable') {
    const message = `The certificate for SMTP is kept in memory only, because ${caFile} is not one that Localpost made or cannot be read. Clients have to trust a new CA after each start.`
    onNotice({ level: 'warning', message })
    return { ...made, caFile: null }
  }
  try {
    await writePrivate(files.own, made.key + made.cert)
    await writePrivate(files.ca, made.ca)
  } catch (error) {
    const message = `The certificate for SMTP could not be kept in ${dir}. A new one is made at the next start, which clients then have to trust.`
    onNotice({ level: 'warning', message, error })
    return { ...made, caFile: null }
  }
  if (kept.state === 'unusable') {
    const message = `The certificate for SMTP was made again, because the old one ${kept.why}. Clients have to trust ${caFile} again.`
    onNotice({ level: 'warning', message })
  }
  return { ...made, caFile }
}

const caName = 'ca.pem'
const ownName = 'smtp-tls.pem'

/** What the folder has. An `untouchable` file must not be replaced. */
type KeptCertificate =
  | { state: 'good'; certificate: MadeCertificate }
  | { state: 'missing' | 'untouchable' }
  | { state: 'unusable'; why: string }

async function readKept(files: { ca: string; own: string }, hostname: string): Promise<KeptCertificate> {
  const unusable = (why: string): KeptCertificate => ({ state: 'unusable', why })
  try {
    const [ca, own] = await Promise.all([nodeFiles.readAll(files.ca), nodeFiles.readAll(files.own)])
    if (ca === null && own === null) return { state: 'missing' }
    if (own === null && ca !== null && !isOurs(ca)) return { state: 'untouchable' }
    if (ca === null || own === null)
      return unusable(`is not complete: ${ca === null ? files.ca : files.own} is missing`)
    const [key = '', cert = ''] = String(own).split(/(?=-----BEGIN CERTIFICATE-----)/)
    const [certificate, authority] = [new X509Certificate(cert), new X509Certificate(ca)]
    if (!certificate.checkPrivateKey(createPrivateKey(key)) || !certificate.verify(authority.publicKey))
      return unusable(`does not belong to its key or to ${files.ca}`)
    if (Date.parse(certificate.validTo) - dateNow() < renewBeforeMs)
      return unusable(`ends on ${certificate.validTo}`)
    const isForHost = isIP(hostname) ? certificate.checkIP(hostname) : certificate.checkHost(hostname)
    if (isForHost === undefined) return unusable(`is not for ${hostname}`)
    return { state: 'good', certificate: { key, cert, ca: String(ca) } }
  } catch (error) {
    // The disk or the process fails: what is there may be good.
    if (error instanceof Error && 'syscall' in error) return { state: 'untouchable' }
    return unusable(`cannot be read (${messageOf(error)})`)
  }
}

/** Whether a CA is one that Localpost made; false for a file that is no certificate. */
function isOurs(ca: Buffer): boolean {
  try {
    return new X509Certificate(ca).subject.startsWith('CN=Localpost CA ')
  } catch {
    return false
  }
}

/** For this user only: `nodeFiles` makes files with mode 0600. The next start notices a file that was not written to its end. */
function writePrivate(path: string, text: string): Promise<void> {
  return withFile(nodeFiles, path, 'w', (fd) => writeWhole(nodeFiles, fd, Buffer.from(text), 0))
}

const renewBeforeMs = 30 * 24 * 60 * 60 * 1000
