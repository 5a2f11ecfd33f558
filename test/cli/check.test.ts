import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Parser } from 'htmlparser2'
import { expect, it, onTestFinished } from 'vitest'
import type { CheckReport } from '../../src/checks/types.ts'
import { certificateFor } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runToEnd, startCommand } from './command.ts'

const head = 'From: Acme <hi@acme.test>\r\nTo: ada@example.com\r\nMIME-Version: 1.0\r\n'
const good = `${head}Subject: Good\r\nDate: Mon, 05 Jan 2026 10:00:00 +0000\r\nMessage-ID: <1@acme.test>\r\n\r\nHello\r\n`
const bad = `${head}Subject: \u0007"Hi" {{name}} <&>\r\nContent-Type: text/html\r\n\r\n<p>Hi\r\n<a href="/x\u0001">Go</a></p>\r\n`

function folderWithMails(): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'good.eml'), good)
  writeFileSync(join(cwd, 'bad.eml'), bad)
  return cwd
}

it('localpost check prints the findings of files, and its exit code says whether one is severe', async () => {
  const cwd = folderWithMails()
  const passed = await runToEnd(['check', 'good.eml'], { cwd })
  expect(passed).toMatchObject({ code: 0, stderr: '' })
  expect(passed.stdout).toMatch(/^good\.eml: 0 errors, 0 warnings, \d+ notes?\n/)
  const failed = await runToEnd(['check', 'good.eml', 'bad.eml'], { cwd })
  expect(failed.code).toBe(1)
  expect(failed.stdout).toContain(
    'error    placeholders: The placeholder {{name}} was not replaced. (Subject)',
  )
  expect(failed.stdout).toMatch(/error {4}links: The link "Go" to \/x.*\(HTML, line 2\)/)
  // Nothing that a terminal would obey.
  // oxlint-disable-next-line no-control-regex -- that is the question
  expect(failed.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  const except = ['--check-except=links', '--check-except=placeholders']
  const left = await runToEnd(['check', 'bad.eml', ...except], { cwd })
  expect(left.code).toBe(0)
  expect((await runToEnd(['check', 'bad.eml', ...except, '--fail-on=warning'], { cwd })).code).toBe(1)
})

it('localpost check writes JSON, JUnit and SARIF', async () => {
  const cwd = folderWithMails()
  const run = async (format: string) =>
    (await runToEnd(['check', 'good.eml', 'bad.eml', `--format=${format}`], { cwd })).stdout
  const json = JSON.parse(await run('json')) as { messages: { name: string; findings: { id: string }[] }[] }
  expect(json.messages.map(({ name }) => name)).toEqual(['good.eml', 'bad.eml'])
  expect(json.messages[1]?.findings.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['links', 'text-part']),
  )
  const junit = await run('junit')
  const open: string[] = []
  const failures: string[] = []
  const parser = new Parser(
    {
      onopentag: (name) => void open.push(name),
      onclosetag: (name) => expect(open.pop()).toBe(name),
      ontext: (piece) => void (open.at(-1) === 'failure' && failures.push(piece)),
    },
    { xmlMode: true },
  )
  parser.end(junit)
  expect(open).toEqual([])
  expect(failures.join('')).toContain('The placeholder {{name}} was not replaced.')
  // oxlint-disable-next-line no-control-regex -- XML 1.0 has no way to write these
  expect(junit).not.toMatch(/[\u0000-\u0008\u000b-\u001f]|&(?!lt;|gt;|amp;|quot;)/)
  expect(junit).toMatch(/<testsuite name="bad\.eml" tests="\d+" failures="2" skipped="\d+" errors="0">/)
  const sarif = JSON.parse(await run('sarif')) as {
    version: string
    runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleId: string; level: string }[] }[]
  }
  expect(sarif.version).toBe('2.1.0')
  const [sarifRun] = sarif.runs
  const ruleIds = sarifRun?.tool.driver.rules.map(({ id }) => id)
  for (const { ruleId, level } of sarifRun?.results ?? []) {
    expect(ruleIds).toContain(ruleId)
    expect(level).toMatch(/^(?:error|warning|note)$/)
  }
})

it('localpost check reads standard input, and asks a running server for the matches of a query', async () => {
  const cwd = folderWithMails()
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const child = spawn(process.execPath, [main, 'check', '-'], { cwd })
  child.stdin.end(bad)
  expect(await text(child.stdout)).toMatch(/^stdin: 2 errors/)
  const running = await startCommand(['--memory'], { cwd })
  const at = `--url=${running.url}`
  await runToEnd(['import', 'good.eml', 'bad.eml', at], { cwd })
  const one = await runToEnd(['check', 'subject:Good', at], { cwd })
  expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(one.stdout).toMatch(/^em_\w+ "Good": 0 errors/)
  expect(
    (await runToEnd(['check', 'to:ada@example.com', at, '--check-except=placeholders'], { cwd })).code,
  ).toBe(1)
  const none = await runToEnd(['check', 'subject:none', at], { cwd })
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('No mail matches "subject:none"') })
})

it.each([
  [['check'], 2, 'check needs files, - for standard input, or a query'],
  [['check', 'gone.eml'], 1, '"gone.eml" cannot be read (ENOENT)'],
  [['check', 'good.eml', '--format=xml'], 2, '--format is "xml"; it takes text or json or junit or sarif.'],
  [['check', 'good.eml', '--fail-on=note'], 2, '--fail-on is "note"; it takes error or warning.'],
  [['check', 'good.eml', '--check-except=link'], 2, 'there is no check "link". Did you mean "links"?'],
])('localpost %j ends with %i and says why', async (args, code, message) => {
  const result = await runToEnd(args, { cwd: folderWithMails() })
  expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) })
})

it('localpost check evaluates SPF with a zone file, asks links on request, and names a filter that does not answer', async () => {
  const cwd = folderWithMails()
  const server = createServer((_, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  writeFileSync(join(cwd, 'acme.zone'), '$ORIGIN acme.test.\nmail TXT "v=spf1 ip4:192.0.2.1 -all"\n')
  const link = `<a href="http://127.0.0.1:${port}/x">Go</a> <a href="https://mailer.test/">To</a>`
  const html = `Return-Path: <b@mail.acme.test>\r\n${head}Subject: x\r\nContent-Type: text/html\r\n\r\n${link}\r\n`
  writeFileSync(join(cwd, 'live.eml'), html)
  const flags = ['--zone=acme.zone', '--sending-host=203.0.113.5', '--live', '--spamd=127.0.0.1:9']
  const { code, stdout } = await runToEnd(['check', 'live.eml', '--format=json', ...flags], { cwd })
  expect(code).toBe(1)
  const { messages } = JSON.parse(stdout) as { messages: CheckReport[] }
  const said = messages[0]?.findings.map(({ id, message }) => `${id}: ${message}`)
  expect(said).toContain('spf: SPF does not let 203.0.113.5 send for mail.acme.test: the result is fail.')
  expect(
    said?.some((one) => /^live-links: The link http:\/\/127\.0\.0\.1:\d+\/x answers 404/.test(one)),
  ).toBe(true)
  const run = messages[0]?.checks.find(({ id }) => id === 'spamassassin')
  expect(run?.message).toBe('The check could not be made: connect ECONNREFUSED 127.0.0.1:9.')
})

it.each([
  ['that is good', certificateFor('a'), true, null],
  ['that has expired', certificateFor('b', { from: -9, to: -2 }), true, 'the certificate has expired'],
  [
    'that is not valid yet',
    certificateFor('c', { from: 2, to: 9 }),
    true,
    'the certificate is not valid yet',
  ],
  [
    'of another host',
    certificateFor('d', undefined, 'acme.test'),
    true,
    'the certificate is for acme.test, not for 127.0.0.1',
  ],
  ['of its own', certificateFor('e'), false, 'the certificate is self-signed'],
])('localpost check --live asks a server with a certificate %s', async (_, tls, isTrusted, reason) => {
  const cwd = temporaryFolder()
  const asked: string[] = []
  const server = createHttpsServer(tls, ({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/x`
  writeFileSync(join(cwd, 'ca.pem'), tls.cert)
  const html = `<a href="${url}">Go</a>`
  writeFileSync(join(cwd, 'mail.eml'), `${head}Subject: x\r\nContent-Type: text/html\r\n\r\n${html}\r\n`)
  const env: Record<string, string> = isTrusted ? { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') } : {}
  const { stdout } = await runToEnd(['check', '--live', 'mail.eml'], { cwd, env })
  const found = stdout.split('\n').filter((line) => /error\s+live-links:/.test(line))
  expect(found.map((line) => line.replace(/^\s*error\s+live-links: | \(.*\)$/g, ''))).toEqual(
    reason === null ? [] : [`The link ${url} cannot be opened: ${reason}.`],
  )
  expect(asked).toEqual(reason === null ? ['HEAD /x'] : [])
})

it('localpost check makes no requests with --live=false and --no-live', async () => {
  const cwd = temporaryFolder()
  const asked: string[] = []
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const html = `<a href="http://127.0.0.1:${(server.address() as AddressInfo).port}/x">Go</a>`
  writeFileSync(join(cwd, 'mail.eml'), `${head}Subject: x\r\nContent-Type: text/html\r\n\r\n${html}\r\n`)
  const running = await startCommand(['--memory'], { cwd })
  const at = `--url=${running.url}`
  await runToEnd(['import', 'mail.eml', at], { cwd })
  for (const off of ['--live=false', '--no-live']) {
    await runToEnd(['check', 'mail.eml', off], { cwd })
    await runToEnd(['check', 'subject:x', at, off], { cwd })
  }
  expect(asked).toEqual([])
  await runToEnd(['check', 'subject:x', at, '--live'], { cwd })
  expect(asked).toEqual(['HEAD /x'])
})
