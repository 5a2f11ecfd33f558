import type { ReportIndex } from './data.ts'

/** A summary of a report as Markdown, for the job summary of GitHub Actions. Each list has at most 20 entries. */
export function summaryOf({ mails, gone, problems, baseline }: ReportIndex): string {
  const ofChange = (wanted: string): string[] => mails.filter(({ change }) => change === wanted).map(rowOf)
  const [added, changed] = [ofChange('new'), ofChange('changed')]
  const withErrors = mails.filter(({ errors }) => errors > 0).map(rowOf)
  const compared =
    baseline === null
      ? ''
      : ` Against the baseline: ${added.length} new, ${changed.length} changed, ${gone.length} gone.`
  return [
    '## Mails of the test run',
    '',
    `${mails.length} mails, ${withErrors.length} with errors of checks.${compared}`,
    ...listOf('New', added),
    ...listOf('Changed', changed),
    ...listOf('Gone', gone.map(rowOf)),
    ...listOf('With errors of checks', withErrors),
    ...listOf('Not in the report', problems.map(escapeMarkdown)),
    '',
  ].join('\n')
}

function listOf(title: string, rows: readonly string[]): string[] {
  if (rows.length === 0) return []
  const more = rows.length > maxRows ? [`- … and ${rows.length - maxRows} more`] : []
  const shown = rows.slice(0, maxRows).map((row) => `- ${row}`)
  return ['', `### ${title} (${rows.length})`, '', ...shown, ...more]
}

const maxRows = 20

function rowOf({ subject, to, test }: ReportIndex['gone'][number]): string {
  return `${escapeMarkdown(subject || '(no subject)')} to ${escapeMarkdown(to.join(', '))} (${escapeMarkdown(test)})`
}

/** Subjects come from the mails: nothing of them is a link, an image or HTML. */
function escapeMarkdown(text: string): string {
  return text
    .slice(0, 200)
    .replace(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`*_{}[\]()#+!|~@:>-]/g, '\\$&')
}
