import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { freePort, runCommand, runToEnd, startCommand } from './command.ts'

const message = (subject: string): string =>
  `From: bob@acme.test\r\nTo: ada@example.com\r\nSubject: ${subject}\r\n\r\nText of ${subject}\r\n`

describe('localpost import and export', () => {
  it('transfer messages byte for byte, as an archive or a folder', async () => {
    const cwd = temporaryFolder()
    const running = await startCommand(['--memory'], { cwd })
    mkdirSync(join(cwd, 'mails'))
    for (const name of ['one', 'two']) writeFileSync(join(cwd, 'mails', `${name}.EML`), message(name))
    writeFileSync(join(cwd, 'mails', 'notes.txt'), 'no mail')
    writeFileSync(join(cwd, 'three.txt'), message('three'))
    const at = ['--url', `${running.url}/`]
    const imported = await runToEnd(['import', 'mails', 'three.txt', ...at], { cwd })
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toBe(`Imported 3 messages to ${running.url}.\n`)
    const zipped = await runToEnd(['export', '--to=all.zip', ...at], { cwd })
    expect(zipped).toMatchObject({ code: 0, stderr: '' })
    const files = Object.entries(unzipSync(readFileSync(join(cwd, 'all.zip'))))
    expect(files.map(([name]) => /-(\w+)\.eml$/.exec(name)?.[1])).toEqual(['three', 'two', 'one'])
    expect(Buffer.from(files[0]?.[1] ?? []).toString()).toBe(message('three'))
    // The port alone may come from the environment.
    const env = { LOCALPOST_PORT: new URL(running.url).port }
    const some = await runToEnd(['export', '--to', 'out/some', '--', '-subject:two', 'body:text'], {
      cwd,
      env,
    })
    expect(some).toMatchObject({ code: 0, stdout: 'Wrote 2 messages to out/some.\n' })
    const names = readdirSync(join(cwd, 'out/some')).sort()
    expect(names.map((name) => name.replace(/^em_\w+-/, ''))).toEqual(['one.eml', 'three.eml'])
    expect(readFileSync(join(cwd, 'out/some', names[0] ?? ''), 'utf8')).toBe(message('one'))
    const none = await runToEnd(['export', 'subject:four', '--to', 'none.zip', ...at], { cwd })
    expect(none.code).toBe(1)
    expect(none.stderr).toContain('No mail matches "subject:four"; nothing was written.')
    expect(readdirSync(cwd).sort()).toEqual(['all.zip', 'mails', 'out', 'three.txt'])
  })

  it('report what cannot be read and what is refused, and continue with the others', async () => {
    const cwd = temporaryFolder()
    const running = await startCommand(['--memory'], { cwd })
    writeFileSync(join(cwd, 'bad.eml'), 'no message')
    writeFileSync(join(cwd, 'good.eml'), message('good'))
    mkdirSync(join(cwd, 'empty'))
    const args = ['import', 'bad.eml', 'missing.eml', 'empty', 'good.eml', `--url=${running.url}`]
    const { code, stdout, stderr } = await runToEnd(args, { cwd })
    expect(code).toBe(1)
    expect(stdout).toBe(`Imported 1 message to ${running.url}; 3 failed.\n`)
    expect(stderr).toMatch(/"bad.eml" was refused: validation_error: .*has no header/)
    expect(stderr.match(/has no header/g)).toHaveLength(1)
    expect(stderr).toContain('"missing.eml" cannot be read (ENOENT)')
    expect(stderr).toContain('"empty" has no .eml files.')
    const query = await runToEnd(['export', 'nokey:x', '--to=x.zip', `--url=${running.url}`], { cwd })
    expect(query.code).toBe(1)
    expect(query.stderr).toContain('invalid_query: "nokey:" is not a key')
  })

  it('an interrupted import is finished with --resume: no message twice, and equal files as often as they are there', async () => {
    const cwd = temporaryFolder()
    const running = await startCommand(['--memory'], { cwd })
    mkdirSync(join(cwd, 'mails'))
    // Same sizes, and two equal files.
    const subjects = ['one', 'two', 'six', 'ten', 'ten']
    for (const [n, subject] of subjects.entries())
      writeFileSync(join(cwd, 'mails', `${n}.eml`), message(subject))
    const at = `--url=${running.url}`
    for (const name of ['0.eml', '3.eml'])
      expect(await runToEnd(['import', join('mails', name), at], { cwd })).toMatchObject({ code: 0 })
    const resumed = await runToEnd(['import', 'mails', '--resume', at], { cwd })
    expect(resumed).toMatchObject({
      code: 0,
      stdout: `Imported 3 messages to ${running.url}; 2 already there.\n`,
    })
    const again = await runToEnd(['import', '--resume', 'mails', at], { cwd })
    expect(again.stdout).toBe(`Imported 0 messages to ${running.url}; 5 already there.\n`)
    expect(await runToEnd(['export', '--to=out', at], { cwd })).toMatchObject({ code: 0 })
    const texts = readdirSync(join(cwd, 'out')).map((name) => readFileSync(join(cwd, 'out', name), 'utf8'))
    expect(texts.sort()).toEqual(subjects.map(message).sort())
  })

  it('say how to finish an import that a signal or the end of the server interrupts', async () => {
    const cwd = temporaryFolder()
    for (const name of ['a', 'b']) writeFileSync(join(cwd, `${name}.eml`), message(name))
    let asked = 0
    const server = createServer((request, response) => {
      asked++
      if (asked === 2) request.socket.destroy()
      else request.resume().on('end', () => response.end('{"id":"em_1"}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const at = `--url=http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const lost = await runToEnd(['import', 'a.eml', 'b.eml', at], { cwd })
    expect(lost.code).toBe(1)
    expect(lost.stderr).toContain(
      'Interrupted after 1 message. Run the same command with --resume to import the others.',
    )
    server.removeAllListeners('request')
    const stopped = runCommand(['import', 'a.eml', 'b.eml', at], { cwd })
    server.on('request', (request, response) => {
      request.resume()
      stopped.signal('SIGINT')
      void stopped.until(/Stopping after this message/).then(() => response.end('{"id":"em_1"}'))
    })
    expect(await stopped.ended).toMatchObject({ code: 1 })
    expect(stopped.stderr()).toContain('Interrupted after 1 message. Run the same command with --resume')
  })

  it('explain what to do where nothing listens, or another program does', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'a.eml'), message('a'))
    const url = `http://127.0.0.1:${await freePort()}`
    for (const args of [
      ['import', 'a.eml'],
      ['export', '--to=a.zip'],
    ]) {
      const { code, stderr } = await runToEnd([...args, '--url', url], { cwd })
      expect(code).toBe(1)
      expect(stderr).toContain(
        `request_failed: Nothing answers at ${url} (ECONNREFUSED). Start Localpost with \`npx localpost\``,
      )
    }
    const other = createServer((_, response) =>
      response.end(JSON.stringify({ count: 1, cursor: null, emails: [{ id: '../../x', subject: '' }] })),
    )
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const address = other.address()
    const there = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const { code, stderr } = await runToEnd(['export', '--to=folder', '--url', there], { cwd })
    expect(code).toBe(1)
    expect(stderr).toContain(`unexpected_response: ${there} is not a Localpost`)
    expect(readdirSync(cwd)).toEqual(['a.eml'])
  })

  it('send the given API key', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'a.eml'), message('a'))
    const keys: (string | undefined)[] = []
    const server = createServer((request, response) => {
      keys.push(request.headers.authorization)
      request.resume().on('end', () => response.end('{"id":"em_1"}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const at = `--url=http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const env = { LOCALPOST_API_KEY: 'key-one,key-two' }
    for (const args of [[], ['--api-key', 'key-three']]) {
      expect(await runToEnd(['import', 'a.eml', at, ...args], { cwd, env })).toMatchObject({ code: 0 })
    }
    await runToEnd(['import', 'a.eml', at], { cwd })
    expect(keys).toEqual(['Bearer key-one', 'Bearer key-three', undefined])
  })

  it.each([
    [
      ['export'],
      'export needs --to: --to mails.zip writes an archive, --to mails a folder. See localpost export --help.',
    ],
    [['export', '--too=x'], 'Did you mean --to?'],
    [['export', '-subject:x', '--to=x'], 'Put an argument that begins with a dash behind --.'],
    [['export', '--to'], '--to needs a value'],
    [['export', '--to=x', '--url=localhost:8025'], '--url is "localhost:8025"; it takes the URL'],
    [['import'], 'import needs files or folders'],
  ])('refuse %j', async (args, text) => {
    const { code, stdout, stderr } = await runToEnd(args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(text)
  })

  it.each(['import', 'export'])('print the usage of %s', async (name) => {
    const { code, stdout } = await runToEnd([name, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`localpost ${name} `)
  })
})
