/**
 * Compares two reports of `localpost/reporter`, and prints Markdown: `node compare.mjs <report> <baseline> <url> <name>`. It has no
 * dependencies, because the action runs from a checkout of its own.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The mails of a report.
 *
 * @returns {{ key: string, test: string, to: string[], subject: string, digest: string, errors?: number }[]}
 */
export function mailsOf(html) {
  const opening = '<script type="application/json" id="index">'
  const start = html.indexOf(opening)
  const end = html.indexOf('</script>', start)
  if (start === -1 || end === -1) throw new Error('This is no report of localpost/reporter.')
  const { version, mails } = JSON.parse(html.slice(start + opening.length, end))
  if (version !== 1 || !Array.isArray(mails)) throw new Error('This report is of another version.')
  return mails
}

/** @param before  null without a baseline. */
export function compare(now, before) {
  const earlier = new Map((before ?? []).map((mail) => [mail.key, mail]))
  const present = new Set(now.map(({ key }) => key))
  return {
    changed: now.filter(({ key, digest }) => earlier.has(key) && earlier.get(key).digest !== digest),
    added: before === null ? [] : now.filter(({ key }) => !earlier.has(key)),
    gone: (before ?? []).filter(({ key }) => !present.has(key)),
    failing: now.filter(({ errors }) => errors > 0),
  }
}

/**
 * The comment. Its first line marks it, so that the next run finds it.
 *
 * @param problem  Why there is nothing to compare with.
 */
export function commentOf(now, before, { url, name, problem = noBaseline }) {
  const { changed, added, gone, failing } = compare(now, before)
  const link = /^https:\/\/[\w./-]+$/.test(url) ? `[the report](${url})` : 'the report'
  const compared =
    before === null
      ? ` ${problem}`
      : ` Against the main branch: ${changed.length} changed, ${added.length} new, ${gone.length} gone.`
  return [
    `<!-- localpost-mails ${name.replace(/[^\w.-]/g, '_').slice(0, 100)} -->`,
    '### Mails of the test run',
    '',
    `${now.length} mails, ${failing.length} with errors of checks: see ${link}.${compared}`,
    ...listOf('Changed', changed),
    ...listOf('New', added),
    ...listOf('Gone', gone),
    ...listOf('With errors of checks', failing),
    '',
  ].join('\n')
}

const noBaseline = 'There is no report of the main branch to compare with.'
const most = 20

function listOf(title, mails) {
  if (mails.length === 0) return []
  const rows = mails.slice(0, most).map(({ subject, to, test }) => {
    return `- ${code(subject || '(no subject)')} to ${code(to.join(', '))} (${code(test)})`
  })
  const more = mails.length > most ? [`- … and ${mails.length - most} more`] : []
  return [
    '',
    `<details><summary>${title} (${mails.length})</summary>`,
    '',
    ...rows,
    ...more,
    '',
    '</details>',
  ]
}

// Subjects come from mails. In code there are no links, images, HTML, mentions or references.
function code(text) {
  return `\`${text.slice(0, 200).replace(/\s+/g, ' ').replaceAll('`', 'ʼ').trim() || ' '}\``
}

const mostBytes = 512 * 1024 * 1024

function read(path) {
  if (statSync(path).size > mostBytes) throw new Error(`${path} is longer than ${mostBytes} bytes.`)
  return mailsOf(readFileSync(path, 'utf8'))
}

/** The mails of the baseline. One that cannot be read, such as that of another version, must not fail every pull request. */
function readBaseline(path) {
  if (!path || !existsSync(path)) return { before: null }
  try {
    return { before: read(path) }
  } catch (error) {
    process.stderr.write(`${path}: ${error.message}\n`)
    return { before: null, problem: 'The report of the main branch cannot be read, so nothing is compared.' }
  }
}

function main([report, baseline, url = '', name = 'mails']) {
  if (!report || !existsSync(report))
    throw new Error(`There is no report at ${report}. Did the tests run with the reporter?`)
  const mails = read(report)
  const { before, problem } = readBaseline(baseline)
  process.stdout.write(commentOf(mails, before, { url, name, problem }))
}

// The path of a started file may be that of a link.
if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
