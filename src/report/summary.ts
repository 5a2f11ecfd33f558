import type { ReportIndex } from './data.ts'

/** A summary of a report as Markdown, for the job summary of GitHub Actions. Each list has at most 20 entries. */
export function summaryOf({ mails, gone, problems, baseline }: ReportIndex): string {
  const withErrors = mails.filter(({ errors }) => errors > 0)
  const lists: [title: string, rows: { subject: string; to: string[]; test: string }[]][] = [
    ['New', mails.filter(({ change }) => change === 'new')],
    ['Changed', mails.filter(({ change }) => change === 'changed')],
    ['Gone', gone],
    ['With errors of checks', withErrors],
  ]
  const changed = (wanted: string): number => mails.filter(({ change }) => change === wanted).length
  const compared =
    baseline === null
      ? ''
      : ` Against the baseline: ${changed('new')} new, ${changed('changed')} changed, ${gone.length} gone.`
  return [
    '## Mails of the test run',
    '',
    `${mails.length} mails, ${withErrors.length} with errors of checks.${compared}`,
    ...lists.filter(([, rows]) => rows.length > 0).flatMap(([title, rows]) => listOf(title, rows)),
    ...(problems.length > 0
      ? listOf(
          'Not in the report',
          problems.map((said) => ({ said })),
        )
      : []),
    '',
  ].join('\n')
}

type SummaryRow = { subject: string; to: string[]; test: string } | { said: string }

function listOf(title: string, rows: readonly SummaryRow[]): string[] {
  const more = rows.length > maxRows ? [`- … and ${rows.length - maxRows} more`] : []
  return ['', `### ${title} (${rows.length})`, '', ...rows.slice(0, maxRows).map(rowOf), ...more]
}

const maxRows = 20

function rowOf(row: SummaryRow): string {
  if ('said' in row) return `- ${escapeMarkdown(row.said)}`
  const { subject, to, test } = row
  return `- ${escapeMarkdown(subject || '(no subject)')} to ${escapeMarkdown(to.join(', '))} (${escapeMarkdown(test)})`
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
