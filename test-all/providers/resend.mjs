// Runs against a Localpost server, in a project where `resend` is installed: each line of the output is one result.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { Resend } from 'resend'

const resend = new Resend(process.env.LOCALPOST_API_KEY)
const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Hello', text: 'It works.' }
const show = (name, value) => console.log(JSON.stringify([name, value]))
const ok = ({ data, error }) => {
  if (error) throw new Error(JSON.stringify(error))
  return data
}

/** Waits until an email has this last event. */
async function until(id, event) {
  for (;;) {
    const email = ok(await resend.emails.get(id))
    if (email.last_event === event) return email
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const steps = {
  async send() {
    const { id } = ok(
      await resend.emails.send({
        ...mail,
        to: ['Ada <ada@example.com>', 'bob@example.com'],
        cc: 'carl@example.com',
        bcc: ['dora@example.com'],
        replyTo: ['help@acme.test', 'sales@acme.test'],
        html: '<p>It works.</p><img src="cid:logo">',
        headers: { 'X-Order': '17' },
        tags: [{ name: 'category', value: 'welcome' }],
        attachments: [
          { filename: 'bytes.txt', content: Buffer.from('bytes') },
          { filename: 'base64.txt', content: Buffer.from('base64').toString('base64') },
          { filename: 'logo.png', content: Buffer.from('png'), contentId: 'logo' },
          { path: 'data:text/plain,path', filename: 'path.txt' },
        ],
      }),
    )
    const { created_at, message_id, ...email } = await until(id, 'delivered')
    show('send', {
      ...email,
      id: id === email.id,
      created: !Number.isNaN(Date.parse(created_at)),
      message_id,
    })
  },
  async idempotency() {
    const options = { idempotencyKey: 'order-17' }
    const first = ok(await resend.emails.send(mail, options))
    const second = ok(await resend.emails.send(mail, options))
    const { error } = await resend.emails.send({ ...mail, subject: 'Other' }, options)
    show('idempotency', [first.id === second.id, error.statusCode, error.name])
  },
  async batch() {
    const good = [mail, { ...mail, to: 'bob@example.com' }]
    const bad = { ...mail, to: 'nobody' }
    const all = ok(await resend.batch.send(good))
    const strict = await resend.batch.send([...good, bad])
    const permissive = ok(await resend.batch.send([mail, bad, mail], { batchValidation: 'permissive' }))
    show('batch', {
      all: all.data.length,
      strict: strict.error,
      permissive: [permissive.data.length, permissive.errors],
    })
  },
  async list() {
    const whole = ok(await resend.emails.list({ limit: 3 }))
    const next = ok(await resend.emails.list({ limit: 2, after: whole.data[0].id }))
    const before = ok(await resend.emails.list({ limit: 2, before: whole.data[2].id }))
    const ids = (page) => page.data.map(({ id }) => whole.data.findIndex((one) => one.id === id))
    show('list', [whole.has_more, ids(next), ids(before)])
  },
  async outcomes() {
    const outcomes = {}
    for (const name of ['delivered', 'bounced', 'complained', 'suppressed']) {
      const { id } = ok(await resend.emails.send({ ...mail, to: `${name}+label@resend.dev` }))
      outcomes[name] = (await until(id, name)).last_event
    }
    show('outcomes', outcomes)
  },
  async pages() {
    const shown = {}
    const create = {
      domains: (i) => resend.domains.create({ name: `page${i}.acme.test` }),
      webhooks: (i) =>
        resend.webhooks.create({ endpoint: `http://127.0.0.1:9/${i}`, events: ['email.sent'] }),
    }
    for (const name of Object.keys(create)) {
      const created = []
      for (const i of [1, 2, 3]) created.push(ok(await create[name](i)).id)
      const whole = ok(await resend[name].list())
      const ids = whole.data.map(({ id }) => id)
      const page = async (query) => {
        const { data, has_more } = ok(await resend[name].list(query))
        return [...data.map(({ id }) => ids.indexOf(id)), has_more]
      }
      shown[name] = {
        first: await page({ limit: 2 }),
        after: await page({ limit: 1, after: ids[0] }),
        end: await page({ after: ids.at(-1) }),
        before: await page({ limit: 1, before: ids[2] }),
      }
      for (const id of created) ok(await resend[name].remove(id))
    }
    show('pages', shown)
  },
  async domains() {
    const created = ok(await resend.domains.create({ name: 'mail.acme.test', clickTracking: true }))
    const { data } = ok(await resend.domains.list())
    const got = ok(await resend.domains.get(created.id))
    ok(await resend.domains.update({ id: created.id, openTracking: true, clickTracking: false }))
    const changed = ok(await resend.domains.get(created.id))
    const removed = ok(await resend.domains.remove(created.id))
    show('domains', {
      created: [
        created.status,
        created.click_tracking,
        created.records.map(({ record, type }) => `${record} ${type}`),
      ],
      listed: data.some(({ id }) => id === created.id),
      got: [got.object, got.name],
      changed: [changed.open_tracking, changed.click_tracking],
      removed: removed.deleted,
    })
  },
  async errors() {
    const errors = {}
    const of = async (name, call) => {
      const { error } = await call
      errors[name] = `${error?.statusCode} ${error?.name}: ${error?.message}`
    }
    await of('missing', resend.emails.send({ ...mail, subject: undefined }))
    await of('address', resend.emails.send({ ...mail, to: 'nobody' }))
    await of('attachment', resend.emails.send({ ...mail, attachments: [{ filename: 'x' }] }))
    await of('key', new Resend('re_wrong').emails.send(mail))
    await of('unknown', resend.emails.get('49a3999c-0ce1-4ea6-ab68-afcd6dc2e794'))
    await of('unsupported', resend.broadcasts.list())
    await of('topic', resend.emails.send({ ...mail, topicId: 'topic' }))
    show('errors', errors)
  },
  async webhooks() {
    const received = []
    const server = createServer(async (request, response) => {
      let payload = ''
      for await (const piece of request) payload += piece
      received.push({ payload, headers: request.headers })
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const endpoint = `http://127.0.0.1:${server.address().port}/`
    const { id, signing_secret: webhookSecret } = ok(
      await resend.webhooks.create({ endpoint, events: ['email.bounced', 'email.suppressed'] }),
    )
    const got = ok(await resend.webhooks.get(id))
    const { data } = ok(await resend.webhooks.list())
    ok(await resend.webhooks.update(id, { status: 'disabled', events: ['email.bounced'] }))
    const changed = ok(await resend.webhooks.get(id))
    ok(await resend.webhooks.update(id, { status: 'enabled', events: got.events }))
    const tags = [{ name: 'order', value: '17' }]
    const sent = ok(await resend.emails.send({ ...mail, to: 'bounced@resend.dev', tags }))
    ok(await resend.emails.send({ ...mail, to: 'suppressed@resend.dev' }))
    while (received.length < 2) await new Promise((resolve) => setTimeout(resolve, 50))
    const events = received.map(({ payload, headers: given }) => {
      const headers = {
        id: given['svix-id'],
        timestamp: given['svix-timestamp'],
        signature: given['svix-signature'],
      }
      return resend.webhooks.verify({ payload, headers, webhookSecret })
    })
    const bounced = events.find(({ type }) => type === 'email.bounced')
    ok(await resend.webhooks.remove(id))
    const left = ok(await resend.webhooks.list())
    server.close()
    show('webhooks', {
      got: [got.endpoint === endpoint, got.events, got.status],
      changed: [changed.status, changed.events],
      listed: data.length,
      types: events.map(({ type }) => type).sort(),
      data: [bounced.data.email_id === sent.id, bounced.data.to, bounced.data.tags, bounced.data.bounce],
      left: left.data.length,
    })
  },
  async templates() {
    const { id } = ok(
      await resend.templates
        .create({
          name: 'Order',
          alias: 'order',
          from: mail.from,
          subject: 'Order of {{{PRODUCT}}}',
          html: '<p>{{{PRODUCT}}}: {{{PRICE}}}</p>',
          variables: [
            { key: 'PRODUCT', type: 'string' },
            { key: 'PRICE', type: 'number', fallbackValue: 25 },
          ],
        })
        .publish(),
    )
    const got = ok(await resend.templates.get('order'))
    const template = { id: 'order', variables: { PRODUCT: 'Tea' } }
    const sent = ok(await resend.emails.send({ to: mail.to, template }))
    const { html, subject } = ok(await resend.emails.get(sent.id))
    const { error } = await resend.emails.send({ to: mail.to, template: { id } })
    ok(await resend.templates.update(id, { name: 'Changed' }))
    const copy = ok(await resend.templates.duplicate(id))
    const listed = ok(await resend.templates.list())
    for (const one of [id, copy.id]) ok(await resend.templates.remove(one))
    show('templates', {
      got: [got.id === id, got.status, got.variables.map(({ key }) => key)],
      sent: [subject, html],
      missing: `${error.statusCode} ${error.name}: ${error.message}`,
      listed: listed.data.map(({ status }) => status).sort(),
      left: ok(await resend.templates.list()).data.length,
    })
  },
}

for (const name of process.argv.slice(2)) await steps[name]()
