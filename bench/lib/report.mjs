/** A run as Markdown. */

/** The metric that a row shows, by the first that it has. */
const shown = ['perSecond', 'ms']

/**
 * @param {object} run  What `run.mjs` writes as JSON, with `samples` as `createSamples` made it.
 * @returns {string}
 */
export function toMarkdown({ facts, versions, settings, samples, targets, seconds }) {
  return [
    `Run of ${facts.date.slice(0, 16).replace('T', ' ')} UTC: ${settings.rounds} interleaved rounds in ${Math.round(seconds / 60)} min, medians.`,
    `${facts.cores} cores (${facts.cpu}), ${facts.memory_gib} GiB, ${facts.kernel}, Node ${facts.node.slice(1)}; load average before the run ${facts.load_before.join(', ')}.`,
    `${Object.entries(versions)
      .map(([name, version]) => (name.includes(version) ? name : `${name} ${version ?? 'absent'}`))
      .join(', ')}.`,
    '',
    'By CPU: the same ratio by CPU time of the main threads, which other programs disturb less.',
    '',
    '| target | wanted | measured | by CPU | |',
    '|---|---|---|---|---|',
    ...targets.map(targetLine),
    '',
    ...rateTable(samples),
    ...otherTables(samples),
  ].join('\n')
}

function targetLine({ name, wanted, measured, by_cpu, unit, verdict }) {
  const value = measured === null ? '–' : `${figure(measured)} ${unit}`
  return `| ${name} | ${wanted} | ${value} | ${by_cpu === null ? '' : figure(by_cpu)} | ${verdict} |`
}

/** Rows whose contenders are the same, per second; below each figure, what one costs the server's main thread. */
function rateTable(samples) {
  const rows = Object.keys(samples.all).filter((row) => row.startsWith('smtp') && !row.endsWith('ms'))
  if (rows.length === 0) return []
  const contenders = [...new Set(rows.flatMap((row) => Object.keys(samples.all[row])))]
  const cell = (row, contender) => {
    const rate = samples.of(row, contender)
    if (Number.isNaN(rate)) return '–'
    const ratio = rate / samples.of(row, 'floor')
    const cpu = samples.of(row, contender, 'mainUs')
    return `${figure(rate)}${Number.isNaN(ratio) ? '' : ` (${ratio.toFixed(2)})`}${Number.isNaN(cpu) ? '' : `, ${figure(cpu)} µs`}`
  }
  return [
    'Messages per second (of the floor), and CPU time of the main thread for each:',
    '',
    `| | ${contenders.join(' | ')} |`,
    `|---|${contenders.map(() => '---|').join('')}`,
    ...rows.map((row) => `| ${row} | ${contenders.map((contender) => cell(row, contender)).join(' | ')} |`),
    '',
  ]
}

function otherTables(samples) {
  const rows = Object.entries(samples.all).filter(([row]) => !row.startsWith('smtp') || row.endsWith('ms'))
  return rows.flatMap(([row, contenders]) => {
    const metrics = metricsOf(row, contenders)
    return [
      `| ${row} | ${metrics.join(' | ')} |`,
      `|---|${metrics.map(() => '---|').join('')}`,
      ...Object.keys(contenders).map(
        (name) =>
          `| ${name} | ${metrics.map((metric) => figure(samples.of(row, name, metric))).join(' | ')} |`,
      ),
      '',
    ]
  })
}

function metricsOf(row, contenders) {
  const all = [...new Set(Object.values(contenders).flatMap((metrics) => Object.keys(metrics)))]
  if (row.startsWith('memory')) return all
  if (all.includes('ms') && !all.includes('perSecond')) return all
  if (row.endsWith('ms')) return ['p50Ms', 'p99Ms', 'mainUs']
  const known = [...shown, 'mainUs', 'allUs'].filter((metric) => metric !== 'ms' && all.includes(metric))
  return known.length > 0 ? known : all
}

/** Three digits that matter. */
function figure(value) {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
