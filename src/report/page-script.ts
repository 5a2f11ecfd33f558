/**
 * The script of the page of a report, for browsers. It writes what comes from mails as text, never as HTML; a mail's
 * HTML is given to a frame without scripts when the mail is opened.
 */
export const pageScript = `
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

const changes = (kind) => index.mails.filter(({ change }) => change === kind).length
byId('about').textContent =
  count(index.mails.length, 'mail') + ', ' + new Date(index.written).toLocaleString() +
  (index.baseline === null ? '' :
    '. Against ' + index.baseline + ': ' + changes('new') + ' new, ' + changes('changed') + ' changed, ' + index.gone.length + ' gone')
byId('problems').replaceChildren(...index.problems.map((said) => element('li', {}, said)))

const groups = new Map()
index.mails.forEach((mail, place) => {
  const name = mail.file + ' > ' + mail.test
  groups.set(name, [...(groups.get(name) ?? []), { ...mail, place }])
})
const sections = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, mails]) => {
  const rows = mails.map((mail) => {
    const tags = [
      mail.change === 'new' || mail.change === 'changed' ? tag(mail.change) : null,
      mail.errors > 0 ? tag('error', count(mail.errors, 'error')) : null,
    ]
    const row = element('button', { type: 'button' },
      element('span', {}, ...tags, mail.subject || '(no subject)'),
      element('span', { class: 'to' }, mail.to.join(', ') + ' · ' + (mail.outcome || 'no outcome')))
    row.addEventListener('click', () => openMail(mail, row))
    const words = [mail.subject, mail.from, ...mail.to, name].join(' ').toLowerCase()
    return { mail, row, words }
  })
  const state = mails[0].state
  const heading = element('h2', { class: state === 'failed' ? 'failed' : '' }, name + (state === 'failed' ? ' (failed)' : ''))
  return { heading, rows }
})
byId('list').append(...sections.flatMap(({ heading, rows }) => [heading, ...rows.map(({ row }) => row)]))
if (index.gone.length > 0) {
  byId('list').append(element('h2', { class: 'gone' }, 'Gone: in the baseline, but not in this run'))
  for (const { file, test, to, subject } of index.gone)
    byId('list').append(element('button', { type: 'button', disabled: '' },
      element('span', {}, subject || '(no subject)'),
      element('span', { class: 'to' }, to.join(', ') + ' · ' + file + ' > ' + test)))
}

const wanted = {
  all: () => true,
  new: ({ change }) => change === 'new',
  changed: ({ change }) => change === 'changed',
  findings: ({ errors }) => errors > 0,
  failed: ({ state }) => state === 'failed',
}
function filter() {
  const words = byId('search').value.toLowerCase().split(/\\s+/).filter((word) => word !== '')
  for (const { heading, rows } of sections) {
    let shown = 0
    for (const { mail, row, words: text } of rows) {
      row.hidden = !(wanted[byId('only').value](mail) && words.every((word) => text.includes(word)))
      if (!row.hidden) shown++
    }
    heading.hidden = shown === 0
  }
}
byId('search').addEventListener('input', filter)
byId('only').addEventListener('change', filter)
byId('filters').addEventListener('submit', (event) => event.preventDefault())

async function readMail(place) {
  const bytes = Uint8Array.from(atob(byId('m' + place).textContent), (char) => char.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return JSON.parse(await new Response(stream).text())
}

const line = (name, value) => (value ? [element('dt', {}, name), element('dd', {}, value)] : [])
const size = (bytes) => (bytes < 1024 ? bytes + ' bytes' : (bytes / 1024).toFixed(1) + ' KB')

let opened = null
async function openMail(listed, row) {
  opened?.removeAttribute('aria-current')
  row.setAttribute('aria-current', 'true')
  opened = row
  byId('mail').setAttribute('aria-busy', 'true')
  const mail = await readMail(listed.place)
  // Another one was opened while this one was read.
  if (opened !== row) return
  byId('mail').replaceChildren(
    element('h2', {}, mail.subject || '(no subject)'),
    element('p', {}, listed.file + ' > ' + listed.test + (listed.state ? ' (' + listed.state + ')' : '')),
    element('dl', {},
      ...line('From', mail.from),
      ...mail.recipients.flatMap(({ recipient, outcome, reply }) => line('To', recipient + ': ' + outcome + (reply ? ' (' + reply + ')' : ''))),
      ...line('Received', new Date(mail.received).toLocaleString()),
      ...line('Size', size(mail.size_bytes)),
      ...mail.attachments.flatMap((one) => line('Attachment', one.filename + ', ' + one.content_type + ', ' + size(one.size_bytes))),
      ...line('Not shown', mail.problem)),
    ...(mail.diff === null ? [] : [section('Changes against the baseline', diffOf(mail.diff), true)]),
    ...(mail.findings.length === 0 ? [] : [section('Checks', findingsOf(mail.findings), true)]),
    ...(mail.html === null ? [] : [section('HTML', frameOf(mail.html), true)]),
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
    if (at > last + 1) pre.append('…\\n')
    last = at
    pre.append(element('span', { class: kind }, (kind === 'added' ? '+ ' : kind === 'removed' ? '- ' : '  ') + text + '\\n'))
  })
  return pre
}
`
