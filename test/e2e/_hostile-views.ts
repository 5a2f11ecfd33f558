import type { Localpost } from '../../src/instance/instance.ts'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import type { RoomName } from '../../ui/composables/rooms.ts'
import { RawClient } from '../capture/_server.ts'
import { submit } from './_setup.ts'
import type { View } from './_views.ts'

/** A text without a place to break at. */
const word = 'w'.repeat(2000)

/**
 * Fills an instance with much of everything, and with texts without an end.
 *
 * @returns Every view of the page by its path: of a room its list and an entry, of a mail each tab.
 */
export async function fillWithHostile(post: Localpost): Promise<View[]> {
  const rooms: Readonly<Record<RoomName, readonly string[]>> = {
    domains: [await manyDomains(post), 'unknown'],
    audiences: [await longAudience(post), 'unknown'],
    templates: [await longTemplate(post), word.slice(0, 100)],
    webhooks: await longWebhook(post),
    scheduled: await longScheduled(post),
    rules: await longRules(post),
    requests: ['requests', 'sessions', 'webhooks', await manyProblems(post), word.slice(0, 100)],
    connect: [],
  }
  const [mail, older] = await longMails(post)
  const ofRooms = Object.entries(rooms).flatMap(([room, ids]) => [room, ...ids.map((id) => `${room}/${id}`)])
  const ofMail = [...mailTabs.map((tab) => tab.toLowerCase()), 'full', `compare/${older}`, 'compare/previous']
  const paths = [
    '',
    ...ofRooms,
    ...ofMail.map((end) => `mail/${mail}/${end}`),
    `mail/${older}`,
    `mail/${word}`,
    word,
    `a/${word.slice(0, 200)}`,
  ]
  return paths.map((path) => ({ name: path.slice(0, 60) || 'inbox', path }))
}

async function manyDomains(post: Localpost): Promise<string> {
  const labels = ['a', 'b', 'c'].map((letter) => letter.repeat(60)).join('.')
  for (let at = 0; at < 60; at++) await post.domains.create({ name: `${'long-'.repeat(8)}${at}.example.com` })
  return (await post.domains.create({ name: `${labels}.example.com` })).id
}

async function longAudience(post: Localpost): Promise<string> {
  const { id } = await post.audiences.create({ name: word.slice(0, 200) })
  await post.audiences.contacts.import(id, [
    ...Array.from({ length: 300 }, (_, at) => ({ email: `reader${at}@example.com` })),
    { email: `${'a'.repeat(60)}@example.com`, first_name: word.slice(0, 200) },
  ])
  return id
}

async function longTemplate(post: Localpost): Promise<string> {
  const html = `<p>${word} {{${word.slice(0, 50)}}}</p>`
  await post.templates.put('long', { subject: word.slice(0, 900), text: word, html })
  return 'long'
}

async function longWebhook(post: Localpost): Promise<[]> {
  await post.webhooks.create({ url: `http://127.0.0.1:9/${word.slice(0, 1500)}` })
  return []
}

async function longScheduled(post: Localpost): Promise<[]> {
  await post.sending.send({
    from: `${word.slice(0, 100)} <hello@acme.test>`,
    to: ['ada@example.com'],
    subject: word.slice(0, 900),
    text: 'x',
    tags: [word.slice(0, 100)],
    send_at: Date.now() + 3_600_000,
  })
  return []
}

async function longRules(post: Localpost): Promise<[]> {
  await post.rules.set([
    { match: `*@${'a'.repeat(60)}.example.com`, action: 'reject', text: word.slice(0, 200) },
  ])
  await post.faults.set({ http: [{ path: `/v1/${word.slice(0, 400)}`, status: 503 }] })
  await post.suppressions.add({
    address: `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`,
    reason: 'manual',
  })
  return []
}

/** @returns The id of one request. */
async function manyProblems(post: Localpost): Promise<string> {
  for (let at = 0; at < 100; at++)
    await fetch(`${post.url}/v1/${word.slice(0, 200)}${at}`, { headers: { authorization: 'Bearer wrong' } })
  for (let at = 0; at < 100; at++) {
    const client = new RawClient(post.smtp)
    await client.reply()
    for (const line of [`EHLO ${word.slice(0, 300)}`, `MAIL FROM:<${at}`, 'QUIT']) await client.say(line)
  }
  const answer = await fetch(`${post.url}/dev/requests?limit=1`)
  const { requests } = (await answer.json()) as { requests: { id: string }[] }
  return requests[0]?.id ?? ''
}

/** @returns The ids of a mail with everything, and of an older one. */
async function longMails(post: Localpost): Promise<[string, string]> {
  // A send of the API has at most 100 recipients.
  await submit(post, {
    from: `${word} <hello@acme.test>`,
    to: Array.from({ length: 1000 }, (_, at) => `person${at}@example.com`),
    subject: word,
    text: word,
  })
  await submit(post, {
    from: `${word} <hello@acme.test>`,
    subject: word,
    to: [`"${word.slice(0, 300)}" <ada@example.com>`, 'bounce@simulator.localpost'],
    text: `${word} https://acme.test/${word}`,
    html: `<p style="display:flex">${word}{{${word.slice(0, 50)}}}</p><a href="https://acme.test/${word}">${word}</a>`,
    attachments: [{ filename: `${word.slice(0, 200)}.txt`, content: 'Hello' }],
  })
  await post.inbox.waitFor('status:bounced')
  const [mail, older] = (await post.inbox.list()).items
  for (const [at, one] of [mail, older].entries())
    await post.inbox.update(one?.id ?? '', {
      tags: Array.from({ length: 50 }, (_, index) => `${at}-${index}-${word.slice(0, index)}`),
    })
  return [mail?.id ?? '', older?.id ?? '']
}
