// Runs against a Localpost server, in a project where `mailgun.js` is installed: each line of the output is one result.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import Mailgun from 'mailgun.js'

const { MAILGUN_API_URL: url, MAILGUN_API_KEY: key } = process.env
const mailgun = new Mailgun(FormData).client({ username: 'api', key, url })
const domain = 'acme.test'
const mail = { from: 'Acme <hi@acme.test>', to: ['ada@example.com'], subject: 'Hello', text: 'It works.' }
const show = (name, value) => console.log(JSON.stringify([name, value]))
const failing = (call) =>
  call.then(
    () => 'no error',
    ({ status, details, message }) => `${status} ${details ?? message}`,
  )

/** Waits for an event of an email. */
async function eventOf(id, event) {
  for (;;) {
    const { items } = await mailgun.events.get(domain, { 'message-id': id, event })
    if (items.length > 0) return items[0]
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const steps = {
  async send() {
    const { id, message, status } = await mailgun.messages.create(domain, {
      ...mail,
      to: ['Ada <ada@example.com>', 'bob@example.com'],
      cc: 'carl@example.com',
      bcc: 'dora@example.com',
      html: '<p>It works.</p><img src="cid:logo.png">',
      attachment: [
        { filename: 'bytes.txt', data: Buffer.from('bytes') },
        { filename: 'text.txt', data: 'text' },
      ],
      inline: { filename: 'logo.png', data: Buffer.from('png') },
      'o:tag': ['welcome', 'first'],
      'o:tracking': false,
      'o:testmode': true,
      'h:Reply-To': 'help@acme.test',
      'h:X-Order': '17',
      'v:order': '17',
    })
    const { event, message: sent, tags, flags, 'user-variables': variables } = await eventOf(id, 'delivered')
    show('send', {
      status,
      message,
      event,
      isSame: `<${sent.headers['message-id']}>` === id,
      tags,
      variables,
      flags,
    })
  },
  async mime() {
    const message = 'From: hi@acme.test\r\nTo: all@example.com\r\nSubject: Raw\r\n\r\nIt works.\r\n'
    const { status } = await mailgun.messages.create(domain, { to: ['ada@example.com'], message })
    show('mime', status)
  },
  async batch() {
    const { id } = await mailgun.messages.create(domain, {
      ...mail,
      to: ['ada@example.com', 'bob@example.com'],
      subject: 'Hi %recipient.name%',
      'recipient-variables': JSON.stringify({
        'ada@example.com': { name: 'Ada' },
        'bob@example.com': { name: 'Bob' },
      }),
    })
    const { items } = await mailgun.events.get(domain, { 'message-id': id, event: 'accepted' })
    show('batch', items.map(({ message }) => message.headers.subject).sort())
  },
  async scheduled() {
    const at = new Date(Date.now() + 3600_000).toUTCString()
    const { id } = await mailgun.messages.create(domain, { ...mail, 'o:deliverytime': at })
    const { items } = await mailgun.events.get(domain, { 'message-id': id })
    show('scheduled', items.length)
  },
  async bounce() {
    const { id } = await mailgun.messages.create(domain, { ...mail, to: ['bounce@simulator.localpost'] })
    const {
      event,
      severity,
      reason,
      recipient,
      'delivery-status': delivery,
      storage,
    } = await eventOf(id, 'failed')
    const stored = await mailgun.messages.retrieveStoredEmail(domain, storage.key)
    show('bounce', [
      event,
      severity,
      reason,
      recipient,
      delivery.code,
      delivery['enhanced-code'],
      stored.subject,
    ])
    const first = await mailgun.events.get(domain, {
      limit: 1,
      ascending: 'yes',
      begin: 'Tue, 24 Nov 2020 09:00:00 -0000',
    })
    const second = await mailgun.events.get(domain, { page: first.pages.next.page })
    const back = await mailgun.events.get(domain, { page: second.pages.previous.page })
    show('pages', [
      first.items.length,
      second.items.length,
      first.items[0].id === second.items[0].id,
      first.items[0].id === back.items[0].id,
    ])
  },
  async suppressions() {
    const types = ['bounces', 'complaints', 'unsubscribes']
    const results = {}
    for (const type of types) {
      const address = `${type}@example.com`
      const added = await mailgun.suppressions.create(domain, type, { address })
      const one = await mailgun.suppressions.get(domain, type, address)
      const { items, pages } = await mailgun.suppressions.list(domain, type, { limit: 1 })
      const next = await mailgun.suppressions.list(domain, type, { page: pages.next.page })
      const removed = await mailgun.suppressions.destroy(domain, type, address)
      const gone = await failing(mailgun.suppressions.get(domain, type, address))
      const isTime = !Number.isNaN(one.created_at.getTime())
      results[type] = [
        added.message,
        one.address,
        isTime,
        items.length,
        next.items.length,
        removed.message,
        gone,
      ]
    }
    show('suppressions', results)
  },
  async domains() {
    const created = await mailgun.domains.create({ name: 'mail.acme.test' })
    const listed = await mailgun.domains.list()
    const got = await mailgun.domains.get('mail.acme.test')
    const { message } = await mailgun.domains.destroy('mail.acme.test')
    const gone = await failing(mailgun.domains.get('mail.acme.test'))
    const types = got.sending_dns_records.map(({ record_type: type }) => type).sort()
    show('domains', [
      created.state,
      listed.map(({ name }) => name).includes('mail.acme.test'),
      types,
      message,
      gone,
    ])
  },
  async templates() {
    const { domainTemplates } = mailgun.domains
    const template = '<p>{{#if name}}Hi {{name}}{{/if}}</p>{{#each items}}<i>{{this}}</i>{{/each}}'
    const created = await domainTemplates.create(domain, {
      name: 'welcome',
      description: 'New people',
      template,
    })
    const version = await domainTemplates.createVersion(domain, 'welcome', {
      tag: 'v2',
      template: '{{name}}',
      active: 'yes',
    })
    const got = await domainTemplates.get(domain, 'welcome', { active: 'yes' })
    const { template: listed } = await domainTemplates.listVersions(domain, 'welcome')
    const { id } = await mailgun.messages.create(domain, {
      ...mail,
      text: undefined,
      template: 'welcome',
      't:version': 'initial',
      't:variables': JSON.stringify({ name: 'Ada', items: [1, 2] }),
    })
    const { storage } = await eventOf(id, 'delivered')
    const { 'body-html': html } = await mailgun.messages.retrieveStoredEmail(domain, storage.key)
    const { items } = await domainTemplates.list(domain)
    const removed = await domainTemplates.destroy(domain, 'welcome')
    show('templates', {
      created: [created.name, created.description, !Number.isNaN(created.createdAt.getTime())],
      version: version.message,
      active: got.version.tag,
      versions: listed.versions.map(({ tag, active }) => [tag, active]),
      html,
      listed: items.map(({ name }) => name),
      removed: removed.message,
    })
  },
  async errors() {
    const create = (members, at = domain) => failing(mailgun.messages.create(at, { ...mail, ...members }))
    show('errors', {
      missing: await create({ text: undefined }),
      address: await create({ to: ['nobody'] }),
      option: await create({ 'o:time-zone-localize': '02:00PM' }),
      domain: await create({}, 'no_domain'),
      key: await failing(
        new Mailgun(FormData).client({ username: 'api', key: 'unknown', url }).messages.create(domain, mail),
      ),
      unsupported: await failing(mailgun.lists.list()),
    })
  },
  async webhooks() {
    const received = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (piece) => (body += piece))
      request.on('end', () => {
        received.push(JSON.parse(body))
        response.end()
        if (received.length === 2) server.emit('enough')
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const target = `http://127.0.0.1:${server.address().port}/hook`
    const { urls } = await mailgun.webhooks.create(domain, 'permanent_fail', target)
    await mailgun.webhooks.create(domain, 'accepted', target)
    const listed = await mailgun.webhooks.list(domain)
    const answer = await fetch(`${url}/v5/accounts/http_signing_key`, {
      headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` },
    })
    const { http_signing_key: signingKey } = await answer.json()
    const enough = once(server, 'enough')
    const { id } = await mailgun.messages.create(domain, {
      ...mail,
      to: ['bounce@simulator.localpost'],
      'o:tag': ['hook'],
      'v:order': '17',
    })
    await enough
    const signed = received.map(({ signature: { timestamp, token, signature } }) => {
      const made = createHmac('sha256', signingKey)
        .update(timestamp + token)
        .digest('hex')
      return made === signature && Math.abs(Date.now() / 1000 - Number(timestamp)) < 60
    })
    const data = received.map(({ 'event-data': event }) => [
      event.event,
      event.severity ?? null,
      event.recipient,
      event.tags,
      event['user-variables'],
      `<${event.message.headers['message-id']}>` === id,
    ])
    await mailgun.webhooks.destroy(domain, 'permanent_fail')
    await mailgun.webhooks.destroy(domain, 'accepted')
    const left = await mailgun.webhooks.list(domain)
    server.closeAllConnections()
    server.close()
    show('webhooks', { urls: urls.length, listed: Object.keys(listed), signed, data, left })
  },
}

for (const name of process.argv.slice(2)) await steps[name]()
