import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { hasPrograms } from '../support/programs.ts'
import { startRspamd, startSpamd } from '../support/spam-filters.ts'
import { submit } from '../support/submit.ts'

async function start(checks: LocalpostOptions['checks'], options: LocalpostOptions = {}): Promise<Localpost> {
  const post = await createLocalpost({ ...options, checks })
  onTestFinished(() => post.close())
  return post
}

/** How a check of a mail ended, and what it found. */
async function verdictOf(post: Localpost, check: string, text = 'Hello Ada', html?: string) {
  const id = await submit(post, { subject: 'Hello', text, ...(html !== undefined && { html }) })
  const { checks, findings } = await post.inbox.check(id)
  // Whatever the filter does, the other checks stand.
  expect(checks.find((run) => run.id === 'subject')?.outcome).toBe('passed')
  return { run: checks.find((run) => run.id === check), found: findings.filter((one) => one.id === check) }
}

/** A server that does with each connection what a test says. */
async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.skipIf(!hasPrograms('the spam score', ['spamd']))('a real SpamAssassin', () => {
  let spamd = ''
  beforeAll(async () => {
    const started = await startSpamd()
    spamd = started.address
    return started.stop
  }, 120_000)

  it('gives its score, and the rules that add points with their explanations', async () => {
    const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'
    const { run, found } = await verdictOf(await start({ spamd }), 'spamassassin', gtube)
    expect(run).toMatchObject({ outcome: 'found', severity: 'error' })
    expect(run?.message).toMatch(
      /^SpamAssassin gives (?:99\d|1\d{3})(?:\.\d)? points; from 5 on it is spam\.$/,
    )
    expect(found[0]).toMatchObject({ severity: 'error', message: run?.message })
    const messages = found.map(({ message }) => message)
    expect(messages).toContain('GTUBE adds 1000: BODY: Generic Test for Unsolicited Bulk Email.')
  }, 30_000)

  it('lets a mail pass that has fewer points', async () => {
    const { run, found } = await verdictOf(await start({ spamd }), 'spamassassin')
    expect(run?.message).toMatch(/^SpamAssassin gives -?\d+(?:\.\d+)? points; from 5 on it is spam\.$/)
    expect(found.filter(({ severity }) => severity !== 'note')).toEqual([])
  }, 30_000)
})

describe('a SpamAssassin that does not answer as it should', () => {
  it.each([
    ['is not there', null, 'connect ECONNREFUSED'],
    ['closes the connection', '', 'closed the connection without an answer'],
    ['speaks another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'the answer is not one of spamd'],
    ['refuses', 'SPAMD/1.0 76 EX_PROTOCOL\r\n\r\n', 'spamd answered 76 EX_PROTOCOL'],
    ['has no score', 'SPAMD/1.1 0 EX_OK\r\n\r\n', 'the answer of spamd has no score'],
    ['has no number', 'SPAMD/1.1 0 EX_OK\r\nSpam: True ; . / .\r\n\r\n', 'the answer of spamd has no score'],
    ['answers without end', 'x'.repeat(300_000), 'has more than 262144 bytes'],
  ])('%s: the check says so', async (_, answer, reason) => {
    const address = await listen((socket) => {
      if (answer !== null) socket.once('data', () => socket.end(answer))
    })
    const spamd = answer === null ? '127.0.0.1:9' : address
    const { run, found } = await verdictOf(await start({ spamd }), 'spamassassin')
    expect(run).toMatchObject({ outcome: 'gave_up', message: expect.stringContaining(reason) })
    expect(run?.message).toMatch(/^The check could not be made: .*[^.]\.$/)
    expect(found).toEqual([])
  })

  it('does not answer: the check ends with its caller', async () => {
    const happened: string[] = []
    const spamd = await listen((socket) => {
      socket.once('data', () => happened.push('asked'))
    })
    const post = await start({ spamd })
    const id = await submit(post, { subject: 'Hello', text: 'x' })
    const caller = new AbortController()
    const checking = post.inbox.check(id, { signal: caller.signal })
    await vi.waitFor(() => expect(happened).toEqual(['asked']))
    caller.abort(new Error('gone'))
    await expect(checking).rejects.toThrow('gone')
  })

  it.each([{ spamd: '10.0.0.1:783' }, { rspamd: 'http://10.0.0.1:11333' }])(
    'is refused at the start where others reach this Localpost: %j',
    async (checks) => {
      await expect(createLocalpost({ checks, host: '0.0.0.0' })).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.stringMatching(/^Option "checks\.r?spamd" may not be connected to: .*allowOutgoing/),
      })
    },
  )
})

describe.skipIf(!hasPrograms('the spam score of rspamd', ['rspamd']))('a real rspamd', () => {
  let rspamd = ''
  let controller = ''
  beforeAll(async () => {
    const started = await startRspamd({ password: 'a secret' })
    rspamd = `http://${started.address}`
    controller = started.controller
    return started.stop
  }, 120_000)

  it('gives its score, and the symbols that add points with their explanations', async () => {
    const html = '<a href="http://192.0.2.7/x">http://acme.test</a>'
    const { run, found } = await verdictOf(await start({ rspamd }), 'rspamd', 'Hello Ada', html)
    expect(run).toMatchObject({ outcome: 'found', severity: 'warning' })
    expect(run?.message).toMatch(
      /^rspamd gives \d+(?:\.\d{1,2})? points and marks the mail as spam; from 15 on it refuses it\.$/,
    )
    expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual(
      expect.arrayContaining([
        `warning: ${run?.message}`,
        'note: R_SUSPICIOUS_URL adds 5: Obfuscated or suspicious URL has been found in a message.',
        'note: HTTP_TO_IP adds 1: Anchor points to an IP address.',
      ]),
    )
  }, 30_000)

  it('refuses spam, and lets other mail pass', async () => {
    const post = await start({ rspamd })
    const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'
    expect((await verdictOf(post, 'rspamd', gtube)).run).toMatchObject({
      outcome: 'found',
      severity: 'error',
      message: 'rspamd gives 15 points; from 15 on it is spam.',
    })
    const { run } = await verdictOf(post, 'rspamd')
    expect(run?.message).toMatch(/^rspamd gives -?\d+(?:\.\d{1,2})? points; from 15 on it is spam\.$/)
  }, 30_000)

  it('accepts mail at its controller only with the password', async () => {
    const ask = async (url: string) => (await verdictOf(await start({ rspamd: url }), 'rspamd')).run
    expect(await ask(`http://:a%20secret@${controller}`)).toMatchObject({
      message: expect.stringMatching(/^rspamd gives /),
    })
    expect(await ask(`http://${controller}`)).toMatchObject({
      outcome: 'gave_up',
      message: `The check could not be made: http://${controller} wants a password: write it before the host, as in http://:password@127.0.0.1:11334.`,
    })
    expect(await ask(`http://:wrong@${controller}`)).toMatchObject({
      outcome: 'gave_up',
      message: `The check could not be made: http://${controller} refuses the password.`,
    })
  }, 30_000)
})

describe('rspamd', () => {
  async function rspamd(status: number, answer: string): Promise<{ url: string; bodies: string[] }> {
    const bodies: string[] = []
    const server = createHttpServer((request, response) => {
      let body = ''
      request.on('data', (piece) => (body += String(piece)))
      request.on('end', () => {
        bodies.push(`${request.method} ${request.url} ${body}`)
        response.writeHead(status).end(answer)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies }
  }

  it('gives its score and symbols', async () => {
    const { url, bodies } = await rspamd(
      200,
      JSON.stringify({
        score: 16.5,
        required_score: 15,
        action: 'reject',
        symbols: {
          MIME_GOOD: { name: 'MIME_GOOD', score: -0.1, description: 'Known content-type' },
          GTUBE: { name: 'GTUBE', score: 15 },
          MISSING_TO: { name: 'MISSING_TO', score: 2, description: 'To header is missing' },
        },
      }),
    )
    const { run, found } = await verdictOf(await start({ rspamd: url }), 'rspamd', 'As it was')
    expect(run).toMatchObject({
      severity: 'error',
      message: 'rspamd gives 16.5 points; from 15 on it is spam.',
    })
    expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'error: rspamd gives 16.5 points; from 15 on it is spam.',
      'note: GTUBE adds 15.',
      'note: MISSING_TO adds 2: To header is missing.',
    ])
    expect(bodies).toEqual([expect.stringMatching(/^POST \/checkv2 [^]*As it was/)])
  })

  it('is missing or does not answer: the check says so, or ends with its caller', async () => {
    const { run } = await verdictOf(await start({ rspamd: 'http://127.0.0.1:9' }), 'rspamd')
    expect(run).toMatchObject({ outcome: 'gave_up', message: expect.stringContaining('ECONNREFUSED') })
    const happened: string[] = []
    const address = await listen((socket) => socket.once('data', () => happened.push('asked')))
    const post = await start({ rspamd: `http://${address}` })
    const id = await submit(post, { subject: 'Hello', text: 'x' })
    const caller = new AbortController()
    const checking = post.inbox.check(id, { signal: caller.signal })
    await vi.waitFor(() => expect(happened).toEqual(['asked']))
    caller.abort(new Error('gone'))
    await expect(checking).rejects.toThrow('gone')
  })

  it.each([
    [200, '{', 'is not one of rspamd'],
    [200, '{"score":"high"}', 'is not one of rspamd'],
    [403, '{}', 'answered 403'],
    [200, `"${'x'.repeat(300_000)}"`, 'has more than 262144 bytes'],
  ])('that answers %i %.20s: the check says so', async (status, answer, reason) => {
    const { url } = await rspamd(status, answer)
    const { run } = await verdictOf(await start({ rspamd: url }), 'rspamd')
    expect(run).toMatchObject({ outcome: 'gave_up', message: expect.stringContaining(reason) })
  })
})
