/** What a person does with stored mail, on Localpost and on Mailpit. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../lib/samples.mjs'
import { submit } from '../lib/stores.mjs'

/** One of so many stored mails has the rare word. */
export const rareIn = 200

/** @returns A server of this contender on its store: a folder, or the URL of a database. */
export async function open(contender, { start }, store) {
  if (contender === 'mailpit') return { ...(await start.mailpit({ dir: store })), ask: mailpit }
  const server =
    contender === 'PostgreSQL' ? await start.inDatabase({ store }) : await start.process({ dir: store })
  return { ...server, ask: localpost }
}

/** The same requests of both. Paths, and the body of a change. */
const localpost = {
  page: (offset) => `/dev/inbox?limit=50&offset=${offset}`,
  search: (query) => `/dev/inbox?limit=50&query=${encodeURIComponent(query)}`,
  firstHits: (query) => `/dev/inbox?limit=50&count=page&query=${encodeURIComponent(query)}`,
  detail: (id) => `/dev/inbox/${id}`,
  idsOf: ({ emails }) => emails.map(({ id }) => id),
  leftOut: ({ unread_texts = 0 }) => unread_texts,
  /** Up to 500 ids a request. */
  mark: (ids, isRead) =>
    (ids === null ? [null] : [ids.slice(0, 500), ids.slice(500)]).map((some) => ({
      method: 'PATCH',
      path: some ? '/dev/inbox' : '/dev/inbox?all=true',
      body: { unread: !isRead, ...(some && { ids: some }) },
    })),
}
const mailpit = {
  page: (offset) => `/api/v1/messages?limit=50&start=${offset}`,
  search: (query) => `/api/v1/search?limit=50&query=${encodeURIComponent(query)}`,
  firstHits: null,
  detail: (id) => `/api/v1/message/${id}`,
  idsOf: ({ messages }) => messages.map(({ ID }) => ID),
  leftOut: () => 0,
  mark: (ids, isRead) => [
    { method: 'PUT', path: '/api/v1/messages', body: { Read: isRead, ...(ids && { IDs: ids }) } },
  ],
}

export async function request({ httpPort }, path, { method = 'GET', body } = {}) {
  const answer = await fetch(`http://127.0.0.1:${httpPort}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${text.slice(0, 200)}`)
  return text.startsWith('{') ? JSON.parse(text) : text
}

export async function timeOf(work) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function medianOf(times, work) {
  const all = []
  for (let n = 0; n < times; n++) all.push(await timeOf(work))
  return median(all)
}

/** Lists and searches of a store whose texts have all been read. */
export async function reads(server, stored) {
  const { ask } = server
  const get = (path) => () => request(server, path)
  const values = {
    'first page, ms': await medianOf(21, get(ask.page(0))),
    'middle page, ms': await medianOf(21, get(ask.page(stored >> 1))),
  }
  for (const [name, query] of Object.entries({
    'word of none': '"nowhere"',
    'word of 0.5 %': '"message 42 "',
    'word of all': '"wizards"',
    'subject:': 'subject:"message 42 "',
  }))
    values[`${name}, ms`] = await medianOf(5, get(ask.search(query)))
  if (ask.firstHits)
    values['word of all, first page, ms'] = await medianOf(5, get(ask.firstHits('"wizards"')))
  return values
}

/** Marks a thousand mails, then all. @param isRead  To be changed in every round, so that there is something to do. */
export async function change(server, stored, isRead) {
  const { ask } = server
  const ids = []
  while (ids.length < Math.min(1000, stored))
    ids.push(...ask.idsOf(await request(server, ask.page(ids.length))))
  const mark = (some) =>
    timeOf(async () => {
      for (const { path, ...how } of ask.mark(some, isRead)) await request(server, path, how)
    })
  return { 'mark 1,000, ms': await mark(ids), 'mark all, ms': await mark(null) }
}

/** The detail of a mail with an attachment of 1 MB. */
export async function largeDetail(start) {
  const server = await start()
  try {
    const { ask } = server
    await submit(server, 1, 1024 * 1024)
    let [id] = []
    while (id === undefined) [id] = ask.idsOf(await request(server, ask.page(0)))
    const get = () => request(server, ask.detail(id))
    return { 'detail, first, ms': await timeOf(get), 'seen again, ms': await medianOf(11, get) }
  } finally {
    await server.stop('SIGKILL')
  }
}

/** A folder with so many mails, whose texts have all been read. */
export async function fromFlood(contender, context, count) {
  const dir = mkdtempSync(join(context.scratch, 'waits-'))
  const server = await open(contender, context, dir)
  await submit(server, count, 2048, { different: rareIn })
  await untilRead(server)
  await server.stop('SIGTERM')
  return dir
}

/** @returns How long that took, in milliseconds. */
export async function untilRead(server) {
  const began = performance.now()
  const { search, leftOut } = server.ask
  while (leftOut(await request(server, search('"nowhere"'))) > 0)
    await new Promise((resolve) => setTimeout(resolve, 500))
  return performance.now() - began
}
