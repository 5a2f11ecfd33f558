import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { sampleName } from '../src/telemetry/exposition.ts'
import { metricRows } from '../src/telemetry/metrics.ts'
import { freePort } from '../test/cli/command.ts'
import { unpackPrograms } from '../test/support/programs.ts'
import { submit } from '../test/support/submit.ts'
import { root, run } from './run.ts'
import { pythonWith } from './tools.ts'

const bin = unpackPrograms('metrics with Prometheus', 'prometheus', ['prometheus', 'promtool'])
const mail = { from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hi' }

let post: Localpost
let folder: string
/** An API key of the scope `read`. */
let key: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'localpost-prometheus-'))
  cpSync(join(root, 'integrations/prometheus'), folder, { recursive: true })
  post = await createLocalpost({ requireKey: true, dir: join(folder, 'data') })
  await post.listen()
  const made = await fetch(`${post.url}/dev/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Prometheus', scope: 'read' }),
  })
  key = ((await made.json()) as { value: string }).value
  writeFileSync(join(folder, 'localpost.key'), key)
  await submit(post, mail)
  await fetch(`${post.url}/v1/emails/em_nothing`, { headers: { authorization: `Bearer ${key}` } })
})
afterAll(async () => {
  await post?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function metrics(accept: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, accept }
  return (await fetch(`${post.url}/metrics`, { headers })).text()
}

it('the reference parser of OpenMetrics reads the metrics, with the types and units of the table', async () => {
  const python = join(await pythonWith('openmetrics', ['prometheus_client==0.23.1']), 'python')
  const script = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain
read = {'openmetrics': openmetrics, 'text': plain}[sys.argv[1]]
print(json.dumps([[f.name, f.type, f.unit, f.documentation, [s.name for s in f.samples]] for f in read(sys.stdin.read())]))
`
  type Found = [name: string, type: string, unit: string, help: string, samples: string[]][]
  const parse = async (format: string, input: string): Promise<Found> =>
    JSON.parse(await run(python, ['-c', script, format], { cwd: folder, input })) as Found
  await metrics('application/openmetrics-text')
  await new Promise((resolve) => setTimeout(resolve, 200))
  const found = await parse('openmetrics', await metrics('application/openmetrics-text'))
  const rows = metricRows.filter(({ name }) => !name.startsWith('localpost_database'))
  expect(found.map(([name, type, unit, help]) => [name, type, unit, help])).toEqual(
    rows
      .filter(({ name }) => name !== 'localpost_smtp_refusals')
      .map(({ name, type, help }) => [name, type, /_(bytes|seconds)$/.exec(name)?.[1] ?? '', help]),
  )
  for (const [name, , , , samples] of found) {
    const row = rows.find((one) => one.name === name)
    expect(new Set(samples)).toEqual(new Set(row ? [sampleName(row)] : []))
  }
  expect((await parse('text', await metrics('text/plain'))).length).toBe(found.length)
})

describe.skipIf(bin === null)('Prometheus', () => {
  const tool = (args: readonly string[], input = ''): Promise<string> =>
    run(join(bin ?? '', 'promtool'), args, { cwd: folder, input })

  it('finds nothing wrong with the metrics, the configuration and the rules', async () => {
    expect((await tool(['check', 'metrics'], await metrics('text/plain'))).trim()).toBe('')
    expect(await tool(['check', 'config', 'prometheus.yml'])).toContain('10 rules found')
    expect(await tool(['check', 'rules', 'localpost.rules.yml'])).toContain('SUCCESS')
  })

  it('passes the tests of the rules', async () => {
    expect(await tool(['test', 'rules', 'localpost.rules.test.yml'])).toContain('SUCCESS')
  })

  it('scrapes an instance with the configuration of the guide, and every query of the dashboard works', async () => {
    const port = await freePort()
    const config = readFileSync(join(folder, 'prometheus.yml'), 'utf8')
      .replace('scrape_interval: 15s', 'scrape_interval: 1s\n  scrape_timeout: 1s')
      .replace('localpost:8025', new URL(post.url ?? '').host)
    writeFileSync(join(folder, 'own.yml'), config)
    const flags = [
      '--config.file=own.yml',
      '--storage.tsdb.path=tsdb',
      `--web.listen-address=127.0.0.1:${port}`,
    ]
    const prometheus = spawn(join(bin ?? '', 'prometheus'), flags, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    prometheus.stderr.on('data', (piece) => (said += String(piece)))
    const ended = new Promise((resolve) => prometheus.once('exit', resolve))
    try {
      const query = async (
        expr: string,
      ): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`)
        const body = (await answer.json()) as { status: string; data: { result: never[] }; error?: string }
        if (body.status !== 'success') throw new Error(`${expr}: ${body.error}`)
        return body.data.result
      }
      const value = async (expr: string): Promise<string | undefined> =>
        (await query(expr).catch(() => []))[0]?.value[1]
      await expect.poll(() => value('up{job="localpost"}'), { timeout: 30_000 }).toBe('1')
      await expect.poll(() => value('localpost_smtp_messages_total')).toBe('1')
      await expect
        .poll(() => value('localpost_http_requests_total{route="/v1/emails/{id}",method="GET",status="404"}'))
        .toBe('1')
      // It asked for OpenMetrics, so the metadata has no ending.
      const metadata = await fetch(`http://127.0.0.1:${port}/api/v1/metadata?metric=localpost_smtp_messages`)
      expect(await metadata.text()).toContain('"type":"counter"')
      const dashboard = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8')) as {
        panels: { title: string; targets: { expr: string }[] }[]
      }
      const isAbsent = (expr: string): boolean => /_database_|refusals|status=~/.test(expr)
      for (const { title, targets } of dashboard.panels)
        for (const { expr } of targets) {
          const own = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '30s')
          if (isAbsent(own)) await query(own)
          else
            await expect
              .poll(async () => [title, (await query(own)).length > 0], { timeout: 20_000 })
              .toEqual([title, true])
        }
      const alerts = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`)
      expect(await alerts.json()).toMatchObject({ data: { alerts: [] } })
    } catch (error) {
      throw new Error(`${String(error)}\n${said}`, { cause: error })
    } finally {
      prometheus.kill()
      await ended
    }
  })
})
