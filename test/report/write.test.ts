import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { folderVariable, handOverMails } from '../../src/report/hand-over.ts'
import { summaryOf } from '../../src/report/summary.ts'
import { writeReport, type ReportInput } from '../../src/report/write.ts'
import type { MailRecord, ReportIndex, TestRecord } from '../../src/report/data.ts'
import { start } from '../support/instance.ts'

let folder: string
let out: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'localpost-report-test-'))
  out = mkdtempSync(join(tmpdir(), 'localpost-report-test-'))
})
afterEach(() => {
  for (const dir of [folder, out]) rmSync(dir, { recursive: true, force: true })
})

const mailOf = (changes: Partial<MailRecord> = {}): MailRecord => ({
  id: 'em_1',
  received: 1,
  from: 'a@acme.test',
  to: ['ada@example.com'],
  subject: 'Hello',
  size_bytes: 10,
  recipients: [{ recipient: 'ada@example.com', outcome: 'delivered', reply: '250 OK' }],
  attachments: [],
  html: '<p>Hello</p>',
  text: 'Hello',
  snapshot: 'Subject: Hello',
  findings: [],
  problem: null,
  ...changes,
})

function handOver(record: Partial<TestRecord>, attempt = 0): void {
  const whole: TestRecord = { file: '/app/a.test.js', name: 'a', mails: [mailOf()], problem: null, ...record }
  const test = createHash('sha256').update(`${whole.file}\n${whole.name}`).digest('hex').slice(0, 32)
  writeFileSync(join(folder, `${test}.${attempt}.${randomUUID()}.json`), JSON.stringify(whole))
}

const write = (input: Partial<ReportInput> = {}): Promise<ReportIndex> =>
  writeReport({
    folder,
    root: '/app',
    outputFile: join(out, 'report.html'),
    baseline: null,
    tests: [{ file: '/app/a.test.js', name: 'a', state: 'passed' }],
    ...input,
  })
const bodyOf = (at: number): MailRecord & { diff: unknown } => {
  const html = readFileSync(join(out, 'report.html'), 'utf8')
  const [, body = ''] = new RegExp(`id="m${at}">([^<]*)</script>`).exec(html) ?? []
  return JSON.parse(gunzipSync(Buffer.from(body, 'base64')).toString())
}

describe('the report of a run', () => {
  it('has the mails of the last attempt of each test', async () => {
    handOver({ mails: [mailOf({ subject: 'First' })] }, 0)
    handOver({ mails: [mailOf({ subject: 'Second' })] }, 1)
    const { mails } = await write()
    expect(mails.map(({ subject }) => subject)).toEqual(['Second'])
  })

  it('has no HTML of a mail outside of what is compressed', async () => {
    const evil = '</script><script>top.hit=1</script><img src=x onerror=top.hit=1>'
    handOver({
      mails: [mailOf({ subject: evil, from: evil, to: [evil], html: evil, text: evil, snapshot: evil })],
    })
    await write()
    const html = readFileSync(join(out, 'report.html'), 'utf8')
    expect(html).not.toContain('top.hit=1</script>')
    expect(html).not.toContain('<img')
    expect(bodyOf(0).html).toBe(evil)
  })

  it('compares with a report of an earlier run, also with itself', async () => {
    handOver({})
    await write()
    const baseline = join(out, 'report.html')
    expect((await write({ baseline })).mails[0]?.change).toBe('same')
    rmSync(folder, { recursive: true })
    folder = mkdtempSync(join(tmpdir(), 'localpost-report-test-'))
    handOver({ mails: [mailOf({ snapshot: 'Subject: Hello\nTo: Eve' }), mailOf()] })
    const { mails } = await write({ baseline })
    expect(mails.map(({ change }) => change)).toEqual(['changed', 'new'])
    expect(bodyOf(0).diff).toEqual([
      { kind: 'same', text: 'Subject: Hello' },
      { kind: 'added', text: 'To: Eve' },
    ])
  })

  it('has limits, and says what it leaves out', async () => {
    for (let test = 0; test < 4; test++) handOver({ name: `test ${test}`, mails: [mailOf(), mailOf()] })
    const few = await write({ limits: { mails: 3, bytes: 1e9 } })
    expect(few.mails).toHaveLength(3)
    expect(few.problems).toEqual([expect.stringContaining('at most 3 mails')])
    const small = await write({ limits: { mails: 100, bytes: 1000 } })
    expect(small.mails.length).toBeLessThan(4)
    expect(small.problems).toHaveLength(1)
  })

  it.each(['{', '{}', 'null', '[]', '{"file":1}', ''])('continues if a test handed over %j', async (text) => {
    handOver({})
    writeFileSync(join(folder, `${'0'.repeat(32)}.0.${randomUUID()}.json`), text)
    writeFileSync(join(folder, 'something-else.json'), text)
    const { mails, problems } = await write()
    expect(mails).toHaveLength(1)
    expect(problems).toEqual([expect.stringContaining('cannot be read')])
  })

  it.each([
    '',
    '<script type="application/json" id="index">',
    '<script type="application/json" id="index">{</script>',
    '<script type="application/json" id="index">{"version":2,"mails":[]}</script>',
    `<script type="application/json" id="index">${'['.repeat(100_000)}</script>`,
  ])('continues without a baseline that is not valid', async (text) => {
    handOver({})
    writeFileSync(join(out, 'baseline.html'), text)
    const { mails, problems, baseline } = await write({ baseline: join(out, 'baseline.html') })
    expect(mails[0]?.change).toBeNull()
    expect(baseline).toBeNull()
    expect(problems).toEqual([expect.stringContaining('The run is not compared')])
  })

  it('says how many mails of a test are shown if they are too long and too many', async () => {
    vi.stubEnv(folderVariable, folder)
    const post = await start()
    await post.emails.send({ from: 'a@acme.test', to: 'b@acme.test', subject: 'Long', text: 'x' })
    const mail = { ...(await post.inbox.waitFor({ subject: 'Long' })), text: 'word '.repeat(400_000) }
    const items = Array.from({ length: 200 }, () => mail)
    const inbox = {
      list: async () => ({ ...(await post.inbox.list()), items, count: 300 }),
      get: async () => mail,
      waitFor: async () => mail,
      check: () => post.inbox.check(mail.id),
    }
    await handOverMails({ inbox, fetch: post.fetch }, { file: '/app/a.test.js', name: 'a', attempt: 0 })
    const { problems, mails } = await write()
    expect(mails.length).toBeLessThan(20)
    expect(problems).toEqual([expect.stringContaining(`a: Only ${mails.length} of 300 mails are shown`)])
  })

  it('does not unpack a bomb in a baseline', async () => {
    handOver({ mails: [mailOf({ snapshot: 'x' })] })
    const { mails } = await write()
    const bomb = gzipSync(`{"snapshot":"${'a'.repeat(100_000_000)}"}`).toString('base64')
    const index = JSON.stringify({ version: 1, mails: mails.map((mail) => ({ ...mail, digest: 'another' })) })
    const html = `<script type="text/plain" id="m0">${bomb}</script><script type="application/json" id="index">${index}</script>`
    writeFileSync(join(out, 'baseline.html'), html)
    const { mails: compared } = await write({ baseline: join(out, 'baseline.html') })
    expect(compared[0]?.change).toBe('changed')
    expect(bodyOf(0).diff).toBeNull()
  })

  it('of 200 mails costs little more than to pack their bodies', async () => {
    const html = Array.from(
      { length: 500 },
      (_, i) => `<p style="color:#${i}">${randomUUID()} line of text</p>`,
    ).join('')
    for (let test = 0; test < 40; test++) {
      const mails = Array.from({ length: 5 }, (_, i) =>
        mailOf({ html: html + i, text: html, snapshot: html }),
      )
      handOver({ name: `test ${test}`, mails })
    }
    await write()
    const body = Buffer.from(html.repeat(3))
    const packing = await cpuSeconds(() => {
      for (let mail = 0; mail < 200; mail++) gzipSync(body)
    })
    let mails: unknown[] = []
    const writing = await cpuSeconds(async () => {
      ;({ mails } = await write({ baseline: join(out, 'report.html') }))
    })
    const bytes = statSync(join(out, 'report.html')).size
    console.info(
      `200 mails: ${writing.toFixed(2)} s of CPU, ${packing.toFixed(2)} to pack them; ${bytes} bytes`,
    )
    expect(mails).toHaveLength(200)
    expect(writing).toBeLessThan(4 * packing)
  }, 60_000)
})

async function cpuSeconds(work: () => void | Promise<void>): Promise<number> {
  const began = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}

it('a summary has nothing of a mail that Markdown or HTML would act on', () => {
  const subject = '<img src=x> [a](https://a.test) `x` **b** | @ada #1\n# Heading'
  const mail = {
    ...mailOf({ subject }),
    key: '',
    file: 'a',
    test: 'a',
    digest: '',
    state: '',
    outcome: '',
    errors: 1,
    warnings: 0,
    change: 'new' as const,
  }
  const index: ReportIndex = {
    version: 1,
    written: 0,
    mails: [mail],
    gone: [],
    problems: ['<b>'],
    baseline: 'x',
  }
  const summary = summaryOf(index)
  expect(summary).toContain(
    String.raw`- &lt;img src=x\> \[a\]\(https\://a.test\) \`x\` \*\*b\*\* \| \@ada \#1 \# Heading to ada\@example.com`,
  )
  expect(summary).toContain('- &lt;b\\>')
  expect(
    summaryOf({ ...index, mails: Array.from({ length: 500 }, () => mail) }).split('\n').length,
  ).toBeLessThan(80)
})
