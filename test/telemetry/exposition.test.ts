import { describe, expect, it, test } from 'vitest'
import { createCounts } from '../../src/core/counts.ts'
import {
  formatOf,
  mediaTypes,
  sampleName,
  writeMetrics,
  type Family,
} from '../../src/telemetry/exposition.ts'
import { familiesOf, metricRows, type MetricFacts } from '../../src/telemetry/metrics.ts'

const families: readonly Family[] = [
  {
    metric: {
      name: 'a_requests',
      type: 'counter',
      help: 'All "requests"\nof \\ a.',
      labels: ['route', 'code'],
    },
    samples: [{ labels: ['/v1/{id}', 'quote " back \\ line\nend'], value: 3 }],
  },
  {
    metric: { name: 'a_size_bytes', type: 'gauge', help: 'Size.' },
    samples: [{ labels: [], value: 1.5 }],
  },
  {
    metric: { name: 'a', type: 'info', help: 'About.', labels: ['v'] },
    samples: [{ labels: ['1'], value: 1 }],
  },
  { metric: { name: 'a_absent', type: 'gauge', help: 'Nothing.' }, samples: [] },
]

describe('the writer', () => {
  it('writes the text format 0.0.4', () => {
    expect(writeMetrics(families, 'text')).toBe(`# TYPE a_requests_total counter
# HELP a_requests_total All "requests"\\nof \\\\ a.
a_requests_total{route="/v1/{id}",code="quote \\" back \\\\ line\\nend"} 3
# TYPE a_size_bytes gauge
# HELP a_size_bytes Size.
a_size_bytes 1.5
# TYPE a_info gauge
# HELP a_info About.
a_info{v="1"} 1
`)
  })

  it('writes OpenMetrics 1.0', () => {
    expect(writeMetrics(families, 'openmetrics')).toBe(`# TYPE a_requests counter
# HELP a_requests All \\"requests\\"\\nof \\\\ a.
a_requests_total{route="/v1/{id}",code="quote \\" back \\\\ line\\nend"} 3
# TYPE a_size_bytes gauge
# UNIT a_size_bytes bytes
# HELP a_size_bytes Size.
a_size_bytes 1.5
# TYPE a info
# HELP a About.
a_info{v="1"} 1
# EOF
`)
  })

  it('writes what is no finite number', () => {
    const metric = { name: 'a', type: 'gauge', help: 'A.', labels: ['n'] } as const
    const samples = [Number.NaN, Infinity, -Infinity, 1e21].map((value, n) => ({
      labels: [String(n)],
      value,
    }))
    expect(writeMetrics([{ metric, samples }], 'text').match(/ \S+$/gm)?.slice(2)).toEqual([
      ' NaN',
      ' +Inf',
      ' -Inf',
      ' 1e+21',
    ])
  })
})

test.each([
  [null, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  ['text/html,*/*;q=0.8', 'text'],
  ['text/plain', 'text'],
  ['text/plain;version=1.0.0', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  ['Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8', 'openmetrics'],
  ['application/openmetrics-text;version=0.0.1', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  ['application/openmetrics-text;q=9', 'text'],
  ['application/openmetrics-text;q=0.2,text/plain;version=0.0.4;q=0.5', 'text'],
  // Prometheus 2.42, and 3.
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'openmetrics',
  ],
  [`${';'.repeat(8000)},${','.repeat(8000)}`, 'text'],
] as const)('Accept: %s gets %s', (accept, format) => {
  expect(formatOf(accept)).toBe(format)
  expect(mediaTypes[format]).toContain('charset=utf-8')
})

describe('the table of metrics', () => {
  it.each(metricRows.map((row) => [row.name, row] as const))('%s is well-formed', (name, row) => {
    const { type, help, labels = [] } = row
    expect(name).toMatch(/^(?:localpost|process|nodejs)(?:_[a-z]+)*$/)
    expect(name).not.toMatch(/_(?:total|info|count|sum|bucket|created)$/)
    // Units are base units: https://prometheus.io/docs/practices/naming/#base-units
    expect(name).not.toMatch(/_(?:ms|mb|percent)$/)
    expect(['counter', 'gauge', 'info']).toContain(type)
    expect(help).toMatch(/^[A-Z].*\.$/)
    for (const label of labels) expect(label).toMatch(/^[a-z]+$/)
    expect(new Set(labels).size).toBe(labels.length)
  })

  it('has each name once', () => {
    for (const names of [metricRows.map(({ name }) => name), metricRows.map(sampleName)])
      expect(new Set(names).size).toBe(names.length)
  })

  it('gives a value for each label, and every metric of the instance only to those who may see it', () => {
    const counts = createCounts()
    counts.smtp.refusals.set(550, 2)
    counts.requests.set('GET /v1/emails/{id} 404', 1)
    const facts: MetricFacts = {
      version: '1.2.3',
      store: 'memory',
      isAccepting: true,
      isDiskLow: false,
      records: { emails: 1 },
      database: {
        schema: 'localpost',
        search: 'scan',
        instances: 1,
        round_trip_ms: 1,
        has_turn: true,
        last_commit: 1,
        connections: { used: 1, idle: 0, waiting: 0 },
      },
      instance: {
        counts,
        sessions: 1,
        totals: { emails: 1, outbox: 0, scheduled: 0, webhooks: 0 },
        figures: { commits: 1, failures: 0, bytes: 1 },
        loop: { p50: 0, p99: 0, max: 0 },
      },
    }
    for (const { metric, samples } of familiesOf(facts)) {
      expect([metric.name, samples.length]).toEqual([metric.name, expect.toSatisfy((n: number) => n > 0)])
      for (const { labels, value } of samples) {
        expect([metric.name, labels.length]).toEqual([metric.name, metric.labels?.length ?? 0])
        expect(value).not.toBeNaN()
      }
    }
    const seen = familiesOf({ ...facts, instance: null })
      .filter(({ samples }) => samples.length > 0)
      .map(({ metric }) => metric.name)
    expect(seen.filter((name) => !name.startsWith('localpost_database'))).toEqual([
      'localpost',
      'localpost_accepting',
      'localpost_disk_low',
      'localpost_records',
      'process_cpu_seconds',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
    ])
  })
})
