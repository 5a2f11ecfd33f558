import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sampleName } from '../../src/telemetry/exposition.ts'
import { metricRows } from '../../src/telemetry/metrics.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const folder = 'integrations/prometheus'
const rows = new Map(metricRows.map((row) => [sampleName(row), row]))
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:localpost|process|nodejs)_[a-z_]+/g)].map(([name]) => name)

interface Dashboard {
  panels: {
    id: number
    title: string
    gridPos: { x: number; w: number }
    targets: { expr: string; legendFormat: string }[]
  }[]
}

const rules = read(`${folder}/localpost.rules.yml`)
const dashboard = JSON.parse(read(`${folder}/grafana-dashboard.json`)) as Dashboard
const expressions = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...[...rules.matchAll(/- alert: (\w+)\n\s+expr: (\|\n(?: {10}.*\n)+|.*\n)/g)].map(
    ([, alert = '', expr = '']) => [alert, expr] as const,
  ),
]

describe('the files for Prometheus and Grafana', () => {
  it.each(expressions)('%s names metrics and labels of the table', (_, expr) => {
    const names = namesIn(expr)
    for (const name of names) expect([...rows.keys()]).toContain(name)
    const labels = new Set(['instance', 'job', ...names.flatMap((name) => rows.get(name)?.labels ?? [])])
    const used = [
      ...expr.matchAll(/[{,](\w+)(?:=~?|!~)"/g),
      ...[...expr.matchAll(/\b(?:by|on) \(([\w, ]+)\)/g)].flatMap(([, list = '']) => [
        ...list.matchAll(/(\w+)/g),
      ]),
    ].map(([, label]) => label)
    for (const label of used) expect(labels).toContain(label)
  })

  it('every alert has a test for both outcomes, and a line in the guide', () => {
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
    const tests = read(`${folder}/localpost.rules.test.yml`)
    const guide = read('docs/guides/operators.md')
    expect(alerts.length).toBeGreaterThan(8)
    expect(expressions.filter(([name]) => alerts.includes(name))).toHaveLength(alerts.length)
    for (const alert of alerts) {
      expect([alert, tests.split(`alertname: ${alert}`).length - 1]).toEqual([alert, 2])
      expect(guide).toContain(`| \`${alert}\` |`)
    }
  })

  it('every series of the tests of the rules exists', () => {
    for (const name of namesIn(read(`${folder}/localpost.rules.test.yml`)))
      expect([...rows.keys()]).toContain(name)
  })

  it('the panels have ids of their own and fit into the grid', () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { title, gridPos, targets } of panels) {
      expect([title, gridPos.x + gridPos.w <= 24, targets.length > 0]).toEqual([title, true, true])
    }
  })

  it('the guide lists every metric with its type, labels and meaning', () => {
    const guide = read('docs/guides/operators.md')
    for (const row of metricRows) {
      const labels = row.labels?.map((label) => `\`${label}\``).join(' ') ?? ''
      const line = `| \`${sampleName(row)}\` | ${row.type} | ${labels} | ${row.help.replace(/\.$/, '')} |`
      expect(guide).toContain(line)
    }
    for (const name of namesIn(guide)) expect([...rows.keys()]).toContain(name)
  })
})
