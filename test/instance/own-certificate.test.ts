import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { expect, it } from 'vitest'
import { makeCertificate } from '../../src/capture/certificate.ts'
import type { Localpost, LocalpostOptions } from '../../src/index.ts'
import type { Health } from '../../src/server/schema.ts'
import { certificateFor } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'

const mail = { from: 'app@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' }
const healthOf = async (post: Localpost): Promise<Health> =>
  (await (await post.fetch(new Request('http://localhost/dev/health'))).json()) as Health
const caOf = (post: Localpost): Promise<Response> => post.fetch(new Request('http://localhost/dev/ca.pem'))

it('post.smtp and post.smtps fit nodemailer with TLS, with what they trust', async () => {
  const post = await start({ smtpTls: true, smtpsPort: 0 })
  for (const settings of [{ ...post.smtp, requireTLS: true }, post.smtps ?? {}])
    await createTransport(settings).sendMail(mail)
  expect((await post.inbox.list()).count).toBe(2)
  expect(await (await caOf(post)).text()).toBe(post.smtp.tls?.ca)
  expect(await healthOf(post)).toMatchObject({
    smtp: { starttls: true, login: 'optional' },
    ca: { file: null },
  })
})

it.each<[string, LocalpostOptions, RegExp]>([
  ['without TLS', {}, /made no certificate.* Start it with --smtp-tls/],
  [
    'with a given certificate',
    { smtpTls: await makeCertificate('localhost') },
    /Trust the authority that issued it/,
  ],
])('an instance %s has no CA, and says why', async (_, options, why) => {
  const { ca: _ca, ...given } = Object(options.smtpTls ?? {})
  const post = await start(options.smtpTls === undefined ? options : { smtpTls: given })
  const answer = await caOf(post)
  expect(answer.status).toBe(404)
  expect(await answer.text()).toMatch(why)
  expect((await healthOf(post)).ca).toBeNull()
  expect(post.smtp.tls).toBeUndefined()
})

it('a data folder keeps the certificate, for this user only', async () => {
  const dir = temporaryFolder()
  const seen: (string | undefined)[] = []
  for (const smtpTls of [true, true]) {
    const post = await start({ dir, smtpTls })
    seen.push(post.smtp.tls?.ca)
    expect((await healthOf(post)).ca).toEqual({ file: join(dir, 'ca.pem') })
    await post.close()
  }
  expect(seen).toEqual([readFileSync(join(dir, 'ca.pem'), 'utf8'), seen[0]])
  expect(statSync(join(dir, 'smtp-tls.pem')).mode & 0o777).toBe(0o600)
})

it('a CA of somebody else in the folder stays, and the certificate is kept in memory', async () => {
  const dir = temporaryFolder()
  const { cert } = certificateFor('Somebody')
  await (await start({ dir })).close()
  writeFileSync(join(dir, 'ca.pem'), cert)
  const notices: string[] = []
  const post = await start({ dir, smtpTls: true, onNotice: (notice) => notices.push(notice.message) })
  expect(readFileSync(join(dir, 'ca.pem'), 'utf8')).toBe(cert)
  expect((await healthOf(post)).ca).toEqual({ file: null })
  expect(notices).toEqual([expect.stringMatching(/is kept in memory only/)])
})

it.each<[string, (dir: string) => unknown, LocalpostOptions, RegExp]>([
  ['half of it is gone', (dir) => rmSync(join(dir, 'smtp-tls.pem')), {}, /smtp-tls\.pem is missing/],
  ['it is damaged', (dir) => writeFileSync(join(dir, 'ca.pem'), 'x'), {}, /cannot be read \(/],
  [
    'it is of another CA',
    async (dir) => writeFileSync(join(dir, 'ca.pem'), (await makeCertificate('localhost')).ca),
    {},
    /does not belong to its key or to /,
  ],
  ['the host name is another', () => {}, { hostname: 'mail.test' }, /is not for mail\.test/],
  ['the host name is an address', () => {}, { hostname: '192.0.2.1' }, /is not for 192\.0\.2\.1/],
  [
    'it ends soon',
    (dir) => {
      const { key, cert } = certificateFor('Soon', { from: -1, to: 20 })
      writeFileSync(join(dir, 'smtp-tls.pem'), key + cert)
      writeFileSync(join(dir, 'ca.pem'), cert)
    },
    {},
    /ends on /,
  ],
])('it is made again where %s, and a notice says so', async (_, change, options, why) => {
  const dir = temporaryFolder()
  const first = await start({ dir, smtpTls: true })
  const { tls: before } = first.smtp
  await first.close()
  await change(dir)
  const notices: string[] = []
  const post = await start({ dir, smtpTls: true, onNotice: (n) => notices.push(n.message), ...options })
  expect(post.smtp.tls?.ca).not.toBe(before?.ca)
  expect(readFileSync(join(dir, 'ca.pem'), 'utf8')).toBe(post.smtp.tls?.ca)
  expect(notices).toEqual([expect.stringMatching(why)])
})

it('a folder that cannot take it does not stop the start: it lasts until the close, and a notice says so', async () => {
  const dir = temporaryFolder()
  await (await start({ dir })).close()
  mkdirSync(join(dir, 'ca.pem'))
  const notices: string[] = []
  const post = await start({ dir, smtpTls: true, onNotice: (notice) => notices.push(notice.message) })
  await createTransport({ ...post.smtp, requireTLS: true }).sendMail(mail)
  expect((await healthOf(post)).ca).toEqual({ file: null })
  expect(notices).toEqual([expect.stringMatching(/is kept in memory only/)])
})
