// Runs against a Localpost server, in a project where the packages of SendGrid are installed: each line of the output is one result.
import { once } from 'node:events'
import { createServer } from 'node:http'
import client from '@sendgrid/client'
import eventwebhook from '@sendgrid/eventwebhook'
import sendgrid from '@sendgrid/mail'

const { EventWebhook, EventWebhookHeader } = eventwebhook
const { SENDGRID_URL: baseUrl, LOCALPOST_API_KEY: key } = process.env
console.warn = () => {}
for (const one of [client, sendgrid.client]) {
  one.setApiKey(key)
  one.setDefaultRequest('baseUrl', baseUrl)
}
const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Hello', text: 'It works.' }
const show = (name, value) => console.log(JSON.stringify([name, value]))
const call = async (method, url, body) => (await client.request({ method, url: `/v3${url}`, body }))[0]

/** The errors of a call that is refused. */
async function errorOf(promise) {
  try {
    await promise
    return 'none'
  } catch (error) {
    const [{ field, message }] = error.response.body.errors
    return `${error.code} ${field}: ${message}`
  }
}

const steps = {
  async send() {
    const [response, body] = await sendgrid.send({
      ...mail,
      to: ['Ada <ada@example.com>', { email: 'bob@example.com', name: 'Bob' }],
      cc: 'carl@example.com',
      bcc: ['dora@example.com'],
      replyToList: [{ email: 'help@acme.test', name: 'Help' }, { email: 'sales@acme.test' }],
      html: '<p>It works.</p><img src="cid:logo">',
      headers: { 'X-Order': '17' },
      categories: ['welcome'],
      customArgs: { order: '17' },
      asm: { groupId: 7, groupsToDisplay: [7] },
      ipPoolName: 'transactional',
      attachments: [
        {
          filename: 'a.txt',
          content: Buffer.from('bytes').toString('base64'),
          type: 'text/plain',
          disposition: 'attachment',
        },
        {
          filename: 'logo.png',
          content: 'cG5n',
          type: 'image/png',
          disposition: 'inline',
          content_id: 'logo',
        },
      ],
      mailSettings: { sandboxMode: { enable: false } },
      trackingSettings: {
        clickTracking: { enable: false, enableText: false },
        openTracking: { enable: false },
      },
    })
    show('send', [response.statusCode, body, /^[\w-]{22}$/.test(response.headers['x-message-id'])])
  },
  async several() {
    const [response] = await sendgrid.send({
      from: mail.from,
      subject: 'Hi {{name}}',
      text: 'Hi {{name}}, {{greeting}}',
      substitutions: { greeting: 'welcome' },
      personalizations: [
        { to: 'ada@example.com', substitutions: { name: 'Ada' } },
        {
          to: ['bob@example.com', 'carl@example.com'],
          substitutions: { name: 'Bob' },
          headers: { 'X-Own': 'b' },
        },
      ],
    })
    const many = await sendgrid.sendMultiple({
      ...mail,
      subject: 'Many',
      to: ['ada@example.com', 'bob@example.com'],
    })
    show('several', [response.statusCode, many[0].statusCode])
  },
  async scheduled() {
    const { batch_id } = (await call('POST', '/mail/batch')).body
    const sendAt = Math.floor(Date.now() / 1000) + 3600
    await sendgrid.send({ ...mail, subject: 'Later', sendAt })
    await sendgrid.send({ ...mail, subject: 'Never', sendAt, batchId: batch_id })
    const cancelled = await call('POST', '/user/scheduled_sends', { batch_id, status: 'cancel' })
    show('scheduled', [cancelled.statusCode, cancelled.body.status])
  },
  async sandbox() {
    const [response] = await sendgrid.send({
      ...mail,
      subject: 'Box',
      mailSettings: { sandboxMode: { enable: true } },
    })
    show('sandbox', response.statusCode)
  },
  async templates() {
    const template = (await call('POST', '/templates', { name: 'Welcome', generation: 'dynamic' })).body
    const path = `/templates/${template.id}/versions`
    const first = {
      name: 'First',
      subject: 'Hi {{name}}',
      html_content: '{{#each items}}<b>{{this}}</b>{{/each}}',
      active: 1,
    }
    const { id } = (await call('POST', path, first)).body
    const other = (await call('POST', path, { ...first, name: 'Second', subject: 'Bye {{name}}', active: 0 }))
      .body
    const data = { templateId: template.id, from: mail.from, to: mail.to }
    await sendgrid.send({ ...data, dynamicTemplateData: { name: 'Ada & Bob', items: ['a', 'b'] } })
    await call('POST', `${path}/${other.id}/activate`)
    await sendgrid.send({ ...data, dynamicTemplateData: { name: 'Ada', items: [] } })
    await call('PATCH', `${path}/${id}`, { subject: 'Again {{name}}', active: 1 })
    await sendgrid.send({ ...data, dynamicTemplateData: { name: 'Ada' } })
    const got = (await call('GET', `/templates/${template.id}`)).body
    const listed = (await call('GET', '/templates?generations=dynamic&page_size=10')).body.result
    const removed = [
      await call('DELETE', `${path}/${other.id}`),
      await call('DELETE', `/templates/${template.id}`),
    ]
    show('templates', {
      versions: got.versions.map(({ name, active }) => [name, active]).sort(),
      listed: listed.map(({ name }) => name),
      removed: removed.map(({ statusCode }) => statusCode),
      gone: await errorOf(call('GET', `/templates/${template.id}`)),
    })
  },
  async errors() {
    const send = (change) => errorOf(sendgrid.send({ ...mail, ...change }))
    show('errors', {
      address: await send({ to: 'nobody' }),
      subject: await send({ subject: '' }),
      content: await errorOf(sendgrid.send({ from: mail.from, to: mail.to, subject: 'x' })),
      template: await send({ text: undefined, templateId: 'd-none' }),
      scheduled: await send({ sendAt: Math.floor(Date.now() / 1000) + 400_000 }),
      attachment: await send({ attachments: [{ content: '!', filename: 'a' }] }),
      unsupported: await errorOf(call('GET', '/messages?limit=10')),
      unknown: await errorOf(call('GET', '/templates/d-none')),
    })
    client.setApiKey('SG.none')
    client.setDefaultRequest('baseUrl', baseUrl)
    show('key', await errorOf(call('GET', '/scopes')))
    client.setApiKey(key)
    client.setDefaultRequest('baseUrl', baseUrl)
  },
  async webhooks() {
    const posted = []
    const server = createServer(async (request, response) => {
      const pieces = []
      for await (const piece of request) pieces.push(piece)
      posted.push({ headers: request.headers, body: Buffer.concat(pieces).toString() })
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${server.address().port}/`
    const settings = '/user/webhooks/event/settings'
    const { id } = (await call('POST', settings, { url, enabled: true, bounce: true, processed: true })).body
    const { public_key } = (await call('GET', `${settings}/signed/${id}`)).body
    const [response] = await sendgrid.send({
      ...mail,
      to: 'bounce@simulator.localpost',
      category: 'welcome',
      customArgs: { order: '17' },
    })
    while (posted.length < 2) await new Promise((resolve) => setTimeout(resolve, 50))
    server.close()
    const verifier = new EventWebhook()
    const publicKey = verifier.convertPublicKeyToECDSA(public_key)
    const verified = ({ headers, body }) =>
      verifier.verifySignature(
        publicKey,
        body,
        headers[EventWebhookHeader.SIGNATURE().toLowerCase()],
        headers[EventWebhookHeader.TIMESTAMP().toLowerCase()],
      )
    const events = posted.map(({ body }) => JSON.parse(body)[0])
    const bounce = events.find(({ event }) => event === 'bounce')
    show('webhooks', {
      verified: posted.map(verified),
      forged: posted.map((one) => verified({ ...one, body: `${one.body} ` })),
      events: events.map(({ event }) => event).sort(),
      bounce: [bounce.email, bounce.type, bounce.status, bounce.order, bounce.category],
      id: bounce.sg_message_id.split('.')[0] === response.headers['x-message-id'],
      removed: (await call('DELETE', `${settings}/${id}`)).statusCode,
    })
  },
  async account() {
    const { scopes } = (await call('GET', '/scopes')).body
    const profile = (await call('GET', '/user/profile')).body
    await call('POST', '/asm/suppressions/global', { recipient_emails: ['gone@example.com'] })
    const listed = (await call('GET', '/suppression/unsubscribes')).body
    await call('DELETE', '/asm/suppressions/global/gone@example.com')
    show('account', {
      scopes: scopes.includes('mail.send'),
      company: profile.company,
      listed: listed.map(({ email }) => email),
      bounces: (await call('GET', '/suppression/bounces')).body,
      gone: await errorOf(call('DELETE', '/suppression/bounces/gone@example.com')),
    })
  },
}

for (const name of process.argv.slice(2)) await steps[name]()
