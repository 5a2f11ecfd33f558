/**
 * The life of a domain and of one email, in which every event has a real cause: DNS is asked, SMTP replies decide, an
 * image is loaded and a link is followed. Then the same, as `/v1`, webhooks and the request log report it. See
 * README.md.
 */
import { createLocalpost } from 'localpost'
import { printAccount } from './account.mjs'
import { openDnsServer } from './dns-server.mjs'
import { assertDomain, assertEmail, assertRequests, assertWebhooks, eventCount } from './expectations.mjs'
import { createMailProgram } from './mail-program.mjs'
import { createClient } from './v1-client.mjs'
import { openWebhookReceiver } from './webhook-receiver.mjs'

const link = 'https://acme.test/welcome?team=7&lang=en'
const message = {
  from: 'Acme <hi@acme.test>',
  to: [
    'ada@example.com',
    'nobody@example.com',
    'mailboxfull@simulator.localpost',
    'olga@example.com',
    'carl@example.com',
  ],
  subject: 'Welcome',
  html: `<p>Hello! <a href="${link.replace('&', '&amp;')}">Come in</a></p>`,
}

const dns = await openDnsServer()
const app = await openWebhookReceiver()
const post = await createLocalpost({
  dns: { servers: [dns.address] },
  webhooks: [{ url: app.url, secret: app.secret }],
  rules: [{ match: 'nobody@example.com', action: 'reject', code: 550, text: 'No such user here' }],
  retryDelaysMs: [50, 50],
})
try {
  await post.listen()
  printAccount(await tellStory())
} finally {
  await Promise.all([post.close(), app.close(), dns.close()])
}
console.log('All of it was as expected, and everything is closed.')

/** @throws where anything is not as expected; the process then ends with exit code 1. */
async function tellStory() {
  const client = createClient(post)
  const states = []
  const note = (domain, why) => states.push({ domain, why })

  // A new domain refuses to send.
  const { id: domainId } = await post.domains.create({ name: 'acme.test' })
  const tracking = { open_tracking_enabled: true, click_tracking_enabled: true }
  note(await post.domains.update(domainId, tracking), 'the owner registered it')
  await client.send(message, { status: 403, name: 'domain_not_verified' })

  note(await post.domains.verify(domainId), 'nothing is published yet')

  dns.publish(await post.domains.zone(domainId))
  note(await post.domains.verify(domainId), 'the owner published the zone')

  // Now it sends, and each recipient gets its own reply: one from a rule, one from the simulator.
  const { id } = await client.send(message, { status: 200 })
  await until(async () => isSettled(await post.emails.get(id)))

  // Two of those who got it look at it.
  const olga = createMailProgram(post, id, 'olga@example.com')
  await olga.loadImage()
  const carl = createMailProgram(post, id, 'carl@example.com')
  await carl.loadImage()
  await carl.followLink(link)

  dns.lose('localpost._domainkey.acme.test', 'TXT')
  note(await post.domains.verify(domainId), 'the owner lost the DKIM record')
  await client.send(message, { status: 403, name: 'domain_not_verified' })

  const email = await client.get(`/v1/emails/${id}`)
  const { emails } = await client.get('/v1/emails')
  const { requests } = await client.get('/dev/requests')
  // Webhooks arrive a moment after the event that they report.
  await until(() => app.events().length >= eventCount || app.refused.length > 0)

  const account = { post, dns, app, states, email, item: emails[0], requests: requests.toReversed() }
  assertDomain(account)
  assertEmail(account)
  assertWebhooks(account)
  assertRequests(account)
  return account
}

function isSettled(email) {
  return email.recipient_statuses.every(({ events }) => events.at(-1).status !== 'sent')
}

/** Asks again and again, for at most ten seconds. */
async function until(check) {
  const end = Date.now() + 10_000
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`it took too long: ${check}`)
    await new Promise((done) => setTimeout(done, 10))
  }
}
