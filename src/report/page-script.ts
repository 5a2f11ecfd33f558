/**
 * The script of the page of a report, for browsers. It is a text, because a report is one file that has all of it, and its
 * policy allows the script by its hash. It writes what comes from mails as text, never as HTML; a mail's HTML is given to a
 * frame without scripts when the mail is opened.
 *
 * Its parts: the head (what the run is, and what the report does not show); the list, a section for each test, failed tests
 * first; its filter; the figures of the run, until a mail is opened; the keyboard (j and k open the next mail and the one
 * before, / begins a search, Escape leads back to the list); one mail, whose body is in an element of its own: see
 * `bodyOpening` of `page.ts`.
 */
export const pageScript: string = String.raw`
'use strict'
const index = JSON.parse(document.getElementById('index').textContent)
const byId = (id) => document.getElementById(id)
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children.filter((child) => child !== null))
  return made
}
const tag = (kind, text = kind) => element('span', { class: 'tag ' + kind }, text)
const count = (number, one) => number + ' ' + one + (number === 1 ? '' : 's')

let opened = null

const changes = (kind) => index.mails.filter(({ change }) => change === kind).length
byId('about').textContent =
  count(index.mails.length, 'mail') + ', ' + new Date(index.written).toLocaleString() +
  (index.baseline === null ? '' :
    '. Against ' + index.baseline + ': ' + changes('new') + ' new, ' + changes('changed') + ' changed, ' + index.gone.length + ' gone')
byId('problems').replaceChildren(...index.problems.map((said) => element('li', {}, said)))

const wentWrong = new Set(['bounced', 'failed', 'complained'])
const shownOutcome = ({ outcome }) =>
  outcome === '' ? 'no outcome' : wentWrong.has(outcome) ? tag('bad', outcome) : outcome

const groups = new Map()
index.mails.forEach((mail, place) => {
  const name = mail.file + ' > ' + mail.test
  const group = groups.get(name)
  if (group) group.push({ ...mail, place })
  else groups.set(name, [{ ...mail, place }])
})
const isFailed = ([mail]) => mail.state === 'failed'
const { compare } = new Intl.Collator('en', { numeric: true })
const inOrder = ([a, one], [b, other]) => isFailed(other) - isFailed(one) || compare(a, b)
const sections = [...groups].sort(inOrder).map(([name, mails]) => {
  const rows = mails.map((mail) => {
    const tags = [
      mail.change === 'new' || mail.change === 'changed' ? tag(mail.change) : null,
      mail.errors > 0 ? tag('error', count(mail.errors, 'error')) : null,
    ]
    const row = element('button', { type: 'button' },
      element('span', {}, element('span', { class: 'subject' }, mail.subject || '(no subject)'), ...tags),
      element('span', { class: 'to' }, element('span', {}, mail.to.join(', ')), shownOutcome(mail)))
    row.addEventListener('click', () => openMail(mail, row))
    const words = [mail.subject, mail.from, ...mail.to, name].join(' ').toLowerCase()
    return { mail, row, words }
  })
  const heading = element('h2', { class: isFailed(mails) ? 'failed' : '' }, name + (isFailed(mails) ? ' (failed)' : ''))
  return { heading, rows }
})
const none = element('p', { class: 'none', hidden: '' }, 'No mail matches.')
byId('list').append(none, ...sections.flatMap(({ heading, rows }) => [heading, ...rows.map(({ row }) => row)]))
if (index.gone.length > 0) {
  byId('list').append(element('h2', { class: 'gone' }, 'Gone: in the baseline, but not in this run'))
  for (const { file, test, to, subject } of index.gone)
    byId('list').append(element('button', { type: 'button', disabled: '' },
      element('span', {}, element('span', { class: 'subject' }, subject || '(no subject)')),
      element('span', { class: 'to' }, element('span', {}, to.join(', ') + ' · ' + file + ' > ' + test))))
}

const wanted = {
  all: () => true,
  new: ({ change }) => change === 'new',
  changed: ({ change }) => change === 'changed',
  errors: ({ errors }) => errors > 0,
  failed: ({ state }) => state === 'failed',
}
for (const option of byId('only').options)
  option.append(' (' + index.mails.filter(wanted[option.value]).length + ')')

function filter() {
  const words = byId('search').value.toLowerCase().split(/\s+/).filter((word) => word !== '')
  let all = 0
  for (const { heading, rows } of sections) {
    let shown = 0
    for (const { mail, row, words: text } of rows) {
      row.hidden = !(wanted[byId('only').value](mail) && words.every((word) => text.includes(word)))
      if (!row.hidden) shown++
    }
    heading.hidden = shown === 0
    all += shown
  }
  none.hidden = all > 0
}
byId('search').addEventListener('input', filter)
byId('only').addEventListener('change', filter)
byId('filters').addEventListener('submit', (event) => event.preventDefault())

const figure = (name, value) => element('div', {}, element('dt', {}, name), element('dd', {}, value.toLocaleString()))
byId('figures').append(
  figure('Mails', index.mails.length),
  figure('Tests', groups.size),
  figure('Failed tests', [...groups.values()].filter(isFailed).length),
  figure('Mails with errors', index.mails.filter(wanted.errors).length),
  ...(index.baseline === null ? [] : [
    figure('New mails', changes('new')), figure('Changed mails', changes('changed')), figure('Gone mails', index.gone.length)]))

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape') return back()
  if (/^(?:INPUT|SELECT)$/.test(event.target.tagName)) return
  if (event.key === '/') {
    event.preventDefault()
    byId('search').focus()
  }
  const step = { j: 1, k: -1 }[event.key]
  if (!step) return
  const shown = sections.flatMap(({ rows }) => rows).map(({ row }) => row).filter(({ hidden }) => !hidden)
  const next = shown[opened ? shown.indexOf(opened) + step : 0]
  next?.scrollIntoView({ block: 'nearest' })
  next?.click()
})

/** On a narrow screen: from the mail to the list. */
function back() {
  document.body.classList.remove('reading')
  opened?.focus()
}

async function readMail(place) {
  const bytes = Uint8Array.from(atob(byId('m' + place).textContent), (char) => char.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return JSON.parse(await new Response(stream).text())
}

const line = (name, value) => (value ? [element('dt', {}, name), element('dd', {}, value)] : [])
const size = (bytes) => (bytes < 1024 ? bytes + ' bytes' : (bytes / 1024).toFixed(1) + ' KB')

async function openMail(listed, row) {
  opened?.removeAttribute('aria-current')
  row.setAttribute('aria-current', 'true')
  opened = row
  byId('mail').setAttribute('aria-busy', 'true')
  const mail = await readMail(listed.place)
  // Another one was opened while this one was read.
  if (opened !== row) return
  document.body.classList.add('reading')
  const backButton = element('button', { type: 'button', id: 'back' }, 'All mails')
  backButton.addEventListener('click', back)
  byId('mail').replaceChildren(
    backButton,
    element('h2', {}, mail.subject || '(no subject)'),
    element('p', {}, listed.file + ' > ' + listed.test + (listed.state ? ' (' + listed.state + ')' : '')),
    element('dl', { class: 'facts' },
      ...line('From', mail.from),
      ...mail.recipients.flatMap(({ recipient, outcome, reply }) => line('To', recipient + ': ' + outcome + (reply ? ' (' + reply + ')' : ''))),
      ...line('Received', new Date(mail.received).toLocaleString()),
      ...line('Size', size(mail.size_bytes)),
      ...mail.attachments.flatMap((one) => line('Attachment', one.filename + ', ' + one.content_type + ', ' + size(one.size_bytes))),
      ...line('Not shown', mail.problem)),
    ...(mail.diff === null ? [] : [section('Changes against the baseline', diffOf(mail.diff), true)]),
    ...(mail.html === null ? [] : [section('HTML', frameOf(mail.html), true)]),
    ...(mail.findings.length === 0 ? [] : [section('Checks', findingsOf(mail.findings), true)]),
    section('Text', element('pre', {}, mail.text || '(no text)'), mail.html === null),
    section('Snapshot', element('pre', {}, mail.snapshot), false))
  byId('mail').scrollTop = 0
  byId('mail').setAttribute('aria-busy', 'false')
}

function section(title, content, isOpen) {
  return element('details', isOpen ? { open: '' } : {}, element('summary', {}, title), content)
}

// The frame has the policy of this page, no scripts and no origin.
function frameOf(html) {
  const frame = element('iframe', { sandbox: '', referrerpolicy: 'no-referrer', title: 'HTML of the mail' })
  // A click on a link would open a new tab, which the frame may not; without it, the frame itself would navigate.
  frame.srcdoc = html + '<base target="_blank">'
  return frame
}

function findingsOf(findings) {
  return element('ul', {}, ...findings.map(({ id, severity, message, fix, line: at }) =>
    element('li', {}, tag(severity), id + ': ' + message + (at === null ? '' : ' (line ' + at + ')') + ' ' + fix)))
}

function diffOf(lines) {
  const near = new Set()
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') for (let one = at - 3; one <= at + 3; one++) near.add(one)
  })
  const pre = element('pre')
  let last = -1
  lines.forEach(({ kind, text }, at) => {
    if (!near.has(at)) return
    if (at > last + 1) pre.append('…\n')
    last = at
    pre.append(element('span', { class: kind }, (kind === 'added' ? '+ ' : kind === 'removed' ? '- ' : '  ') + text + (kind === 'same' ? '\n' : '')))
  })
  return pre
}
`
