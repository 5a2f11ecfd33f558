/** A metric, as a row of the table in `metrics.ts`. */
export interface Metric {
  /** Ends in its unit, if it has one; without the ending that its type adds: `_total` for a counter, `_info` for an info. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'info'
  readonly help: string
  /** The names of its labels. Default: none. */
  readonly labels?: readonly string[]
}

/** One value of a metric, with the values of its labels in the order of their names. */
export interface Sample {
  readonly labels: readonly string[]
  readonly value: number
}

/** A metric with its values. */
export interface Family {
  readonly metric: Metric
  readonly samples: readonly Sample[]
}

/** The formats of metrics: the text format of Prometheus 0.0.4, and OpenMetrics 1.0. */
export type MetricsFormat = keyof typeof mediaTypes

/** The media type of each format. */
export const mediaTypes = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const

/** The format that a client prefers by its header `Accept`: OpenMetrics only where it is named, else the text format. */
export function formatOf(accept: string | null): MetricsFormat {
  let openmetrics = 0
  let text = 0
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const parameter = (name: string): string | undefined =>
      parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)
    const q = parameter('q')
    const weight = q === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0
    const version = parameter('version')
    if (type === 'application/openmetrics-text' && (version === undefined || version === '1.0.0'))
      openmetrics = Math.max(openmetrics, weight)
    // Versions of the text format that this program does not write count as the one that it does.
    if (type === 'text/plain') text = Math.max(text, weight)
  }
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text'
}

/**
 * Writes metrics in a format. Families without a value are left out.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 * @see https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 */
export function writeMetrics(families: readonly Family[], format: MetricsFormat): string {
  const isOpenMetrics = format === 'openmetrics'
  let text = ''
  for (const { metric, samples } of families) {
    if (samples.length === 0) continue
    const { type, help, labels: names = [] } = metric
    const name = sampleName(metric)
    const family = isOpenMetrics ? metric.name : name
    text += `# TYPE ${family} ${type === 'info' && !isOpenMetrics ? 'gauge' : type}\n`
    const [, unit] = /_(bytes|seconds)$/.exec(metric.name) ?? []
    if (isOpenMetrics && unit) text += `# UNIT ${family} ${unit}\n`
    text += `# HELP ${family} ${isOpenMetrics ? escapedInQuotes(help) : escapedLine(help)}\n`
    for (const { labels, value } of samples) text += `${name}${labelsOf(names, labels)} ${numberOf(value)}\n`
  }
  return isOpenMetrics ? `${text}# EOF\n` : text
}

/** The name of the samples of a metric: `localpost_smtp_sessions_total`. */
export function sampleName({ name, type }: Metric): string {
  return type === 'gauge' ? name : `${name}_${type === 'counter' ? 'total' : 'info'}`
}

function labelsOf(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name, at) => `${name}="${escapedInQuotes(values[at] ?? '')}"`).join(',')}}`
}

function escapedLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapedInQuotes(text: string): string {
  return escapedLine(text).replaceAll('"', '\\"')
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
