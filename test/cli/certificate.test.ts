import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../src/cli/certificate.ts'
import { certificateFor, certificateNameAt as nameAt } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCommand } from './command.ts'

const good = certificateFor('good')
const other = certificateFor('other')

function files(texts: { cert?: string; key?: string }): { cert: string; key: string } {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(folder, `${name}.pem`), text, { mode: 0o600 })
  return { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
}

describe('the files of --tls-cert and --tls-key', () => {
  it('are read, with a chain behind the certificate', async () => {
    const chain = `${good.cert}${other.cert}`
    const { certificate, warnings } = await readCertificate(files({ cert: chain, key: good.key }))
    expect(warnings).toEqual([])
    expect(certificate.cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
  })

  it.each([
    ['a certificate of another key', { cert: other.cert, key: good.key }, /does not belong to the key/],
    ['a missing certificate', { key: good.key }, /--tls-cert: .*does not exist/],
    ['a missing key', { cert: good.cert }, /--tls-key: .*does not exist/],
    ['a certificate that is none', { cert: 'hunter2', key: good.key }, /is not a certificate in PEM/],
    ['a key that is none', { cert: good.cert, key: 'hunter2' }, /is not a private key in PEM/],
    ['the files the wrong way round', { cert: good.key, key: good.cert }, /is not a certificate in PEM/],
    ['an empty file', { cert: '', key: good.key }, /is empty/],
    ['a cut certificate', { cert: good.cert.slice(0, 300), key: good.key }, /is not a certificate in PEM/],
  ])('are refused: %s', async (_, texts, message) => {
    const promise = readCertificate(files(texts))
    await expect(promise).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(message),
    })
    await expect(promise).rejects.not.toThrow(/hunter2|BEGIN|MII/)
  })

  it('need each other', async () => {
    await expect(readCertificate({ cert: undefined, key: 'key.pem' })).rejects.toThrow(/add --tls-cert/)
    await expect(readCertificate({ cert: 'cert.pem', key: undefined })).rejects.toThrow(/add --tls-key/)
  })

  it.each([
    ['has expired', { from: -9, to: -2 }, /expired on .*clients will refuse it/],
    ['is not valid yet', { from: 2, to: 9 }, /is valid from .* only/],
  ])('give a warning for a certificate that %s', async (_, days, warning) => {
    const { warnings } = await readCertificate(files(certificateFor('old', days)))
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  it('are read again on SIGHUP; broken ones change nothing', async () => {
    const paths = files(good)
    const command = runCommand([
      '--memory',
      '--port=0',
      '--smtp-port=0',
      '--smtps-port=0',
      `--tls-cert=${paths.cert}`,
      `--tls-key=${paths.key}`,
    ])
    const [, port] = await command.until(/Page\s+https:\/\/127\.0\.0\.1:(\d+)/)
    const [, smtpsPort] = await command.until(/SMTPS\s+127\.0\.0\.1:(\d+)/)
    expect(await nameAt(Number(port))).toBe('good')
    writeFileSync(paths.cert, other.cert)
    command.signal('SIGHUP')
    await expect.poll(() => command.stderr()).toMatch(/stays as it was.*does not belong to the key/s)
    expect(await nameAt(Number(port))).toBe('good')
    writeFileSync(paths.key, other.key)
    command.signal('SIGHUP')
    await command.until(/read again \(SIGHUP\)/)
    expect([await nameAt(Number(port)), await nameAt(Number(smtpsPort))]).toEqual(['other', 'other'])
    command.signal('SIGTERM')
    expect((await command.ended).code).toBe(0)
  })

  it('end the start where they do not fit', async () => {
    const paths = files({ cert: other.cert, key: good.key })
    const command = runCommand(['--memory', `--tls-cert=${paths.cert}`, `--tls-key=${paths.key}`])
    expect((await command.ended).code).toBe(2)
    expect(command.stderr()).toContain('does not belong to the key')
  })
})
