import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { runCommand, runToEnd, type Command } from './command.ts'

const mailOf = (to: string, text: string) => ({ from: 'shop@acme.test', to, subject: 'Welcome', text })

async function begin(options = {}) {
  const post = await start({ requireKey: true, ...options })
  const { url } = await post.listen()
  const env = { LOCALPOST_URL: url, LOCALPOST_API_KEY: post.apiKey }
  return { post, url, env }
}

/** Sends mail without a code until a command that waits for one has seen it. */
async function untilWaiting(post: Localpost, command: Command): Promise<void> {
  while (!command.stderr().includes('has no such code')) {
    const { id } = await post.emails.send(mailOf('ada@example.com', 'Hello.'))
    await post.inbox.waitFor(`id:${id}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('localpost wait', () => {
  it('prints what was asked for of the mail that came, and nothing else', async () => {
    const { post, env } = await begin()
    const text = 'Your code is 482913. https://acme.test/home https://acme.test/reset?t=1'
    const { id: first } = await post.emails.send(mailOf('canada@example.com', text))
    const { id } = await post.emails.send(mailOf('ada@example.com', text))
    await post.emails.send(mailOf('canada@example.com', text))
    await post.inbox.waitForCount(undefined, 3)
    for (const [flags, printed] of [
      [['--code'], '482913'],
      [['--link'], 'https://acme.test/home'],
      [['--link', 'RESET'], 'https://acme.test/reset?t=1'],
      [['--query=subject:welcome'], id],
      [['--code', `--after=${first}`], '482913'],
    ] as const) {
      const ran = await runToEnd(['wait', '--to=ada@example.com', '--after=1h', ...flags], { env })
      expect([flags, ran]).toEqual([flags, { code: 0, stdout: `${printed}\n`, stderr: '' }])
    }
    const whole = await runToEnd(['wait', '--to', 'ada@example.com', '--after=1h', '--json'], { env })
    expect(JSON.parse(whole.stdout)).toEqual(JSON.parse(JSON.stringify(await post.inbox.get(id))))
  })

  it('waits for mail that comes after it began, and for one that has a code', async () => {
    const { post, env } = await begin()
    await post.emails.send(mailOf('ada@example.com', 'Your code is 111111.'))
    await post.inbox.waitFor()
    const command = runCommand(['wait', '--to=ada@example.com', '--code'], { env })
    await untilWaiting(post, command)
    expect(command.stdout()).toBe('')
    await post.emails.send(mailOf('ada@example.com', 'Your code is 222222.'))
    expect(await command.ended).toEqual({ code: 0, signal: null })
    expect(command.stdout()).toBe('222222\n')
    expect(command.stderr()).toMatch(/^(?:error: em_\w+ "Welcome" has no such code\.\n)+$/)
  })

  it('finds the code below more mails without one than a query can name', async () => {
    const { post, env } = await begin()
    const mail = (text: string): Buffer =>
      Buffer.from(`From: shop@acme.test\r\nTo: ada@example.com\r\nSubject: Welcome\r\n\r\n${text}`)
    const { id } = await post.inbox.import(mail('Your code is 482913.'))
    for (let at = 0; at < 210; at++) await post.inbox.import(mail('Hello.'))
    const flags = ['wait', '--to=ada@example.com', '--code', '--timeout=0ms']
    const found = await runToEnd([...flags, '--after=1h'], { env })
    expect([found.code, found.stdout]).toEqual([0, '482913\n'])
    const none = await runToEnd([...flags, `--after=${id}`], { env })
    expect([none.code, none.stdout]).toEqual([1, ''])
  }, 120_000)

  it('finds a person by a name, also where it is in Cc alone', async () => {
    const { post, env } = await begin()
    const { id } = await post.inbox.import(
      Buffer.from(
        'From: shop@acme.test\r\nTo: ada@example.com\r\nCc: Bob Ross <ross@example.com>\r\nSubject: Hello\r\n\r\nHello.',
      ),
    )
    const ran = await runToEnd(['wait', '--to=Bob', '--after=1h', '--timeout=5s'], { env })
    expect(ran).toEqual({ code: 0, stdout: `${id}\n`, stderr: '' })
  })

  it('ends with 1 and the nearest misses if the time is over', async () => {
    const { post, env } = await begin()
    const { id } = await post.emails.send(mailOf('bob@example.com', 'Hello.'))
    await post.inbox.waitFor()
    const ran = await runToEnd(['wait', '--to=ada@example.com', '--timeout=100ms'], { env })
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(/^error: No mail for .*ada@example\.com/)
    expect(ran.stderr).toContain(`The nearest misses: ${id}`)
  })

  it('ends at once on SIGINT', async () => {
    const { post, env } = await begin()
    const command = runCommand(['wait', '--to=ada@example.com', '--code'], { env })
    await untilWaiting(post, command)
    command.signal('SIGINT')
    expect(await command.ended).toEqual({ code: null, signal: 'SIGINT' })
    expect(command.stdout()).toBe('')
  })

  it.each<[string, string[], RegExp]>([
    ['no recipient', [], /needs --to, --query/],
    ['an empty recipient', ['--to='], /--to needs a value/],
    ['two kinds of output', ['--to=a@b.test', '--code', '--json'], /one of --code and --json/],
    ['an argument without --link', ['--to=a@b.test', 'reset'], /Unexpected argument "reset"/],
    ['two arguments', ['--to=a@b.test', '--link', 'a', 'b'], /Unexpected argument "b"/],
    ['a wrong time-out', ['--to=a@b.test', '--timeout=30'], /--timeout is "30"/],
    ['a time-out that is too long', ['--to=a@b.test', '--timeout=5m'], /--timeout is "5m"/],
    ['a wrong time', ['--to=a@b.test', '--after=yesterday'], /--after is "yesterday"/],
    ['an unknown flag', ['--to=a@b.test', '--cod'], /--code/],
  ])('ends with 2 for %s', async (_, args, message) => {
    const ran = await runToEnd(['wait', ...args])
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringMatching(message)])
  })

  it('says what is wrong with a key, a query and a server', async () => {
    const { env } = await begin()
    const wrongKey = await runToEnd(['wait', '--to=a@b.test'], {
      env: { ...env, LOCALPOST_API_KEY: 'lp_other' },
    })
    expect([wrongKey.code, wrongKey.stdout, wrongKey.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('invalid_api_key'),
    ])
    const wrongQuery = await runToEnd(['wait', '--query=form:x'], { env })
    expect([wrongQuery.code, wrongQuery.stderr]).toEqual([1, expect.stringContaining('Did you mean from:?')])
    const nobody = await runToEnd(['wait', '--to=a@b.test', '--url=http://127.0.0.1:1'])
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('Nothing answers at')])
  })
})
