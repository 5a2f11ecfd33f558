// Runs against a Localpost server, in a project where the SDK is installed: each line of the output is one result.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Models, ServerClient } from 'postmark'

const { POSTMARK_HOST, LOCALPOST_API_KEY } = process.env
const options = { useHttps: false, requestHost: POSTMARK_HOST }
const client = new ServerClient(LOCALPOST_API_KEY, options)
const From = 'Acme <hi@acme.test>'
const mail = { From, To: 'ada@example.com', Subject: 'Hello', TextBody: 'It works.' }
const show = (name, value) => console.log(JSON.stringify([name, value]))
const base64 = (text) => Buffer.from(text).toString('base64')
const hardBounce = 'hardbounce@bounce-testing.postmarkapp.com'

/** The name, status and code of the error of a call. */
async function errorOf(call) {
  try {
    await call
    return 'none'
  } catch (error) {
    return `${error.name} ${error.statusCode} ${error.code}`
  }
}

/** Asks until an answer has what is wanted. */
async function until(ask, has) {
  for (let i = 0; i < 200; i++) {
    const answer = await ask()
    if (has(answer)) return answer
    await sleep(50)
  }
  throw new Error('It never came.')
}

const steps = {
  async send() {
    const sent = await client.sendEmail({
      ...mail,
      Subject: 'All',
      To: 'Ada <ada@example.com>, bob@example.com',
      Cc: 'carl@example.com',
      Bcc: 'dora@example.com',
      ReplyTo: 'help@acme.test',
      HtmlBody: '<p>It works.</p><img src="cid:logo.png">',
      Tag: 'welcome',
      Metadata: { order: '17' },
      Headers: [new Models.Header('X-Order', '17')],
      Attachments: [
        new Models.Attachment('a.txt', base64('text'), 'text/plain'),
        new Models.Attachment('logo.png', base64('png'), 'image/png', 'cid:logo.png'),
      ],
      TrackOpens: true,
      TrackLinks: Models.LinkTrackingOptions.HtmlOnly,
      MessageStream: 'outbound',
    })
    const details = await until(
      () => client.getOutboundMessageDetails(sent.MessageID),
      ({ MessageEvents }) => MessageEvents.length >= 4,
    )
    const dump = await client.getOutboundMessageDump(sent.MessageID)
    show('send', {
      to: sent.To,
      code: [sent.ErrorCode, sent.Message],
      status: details.Status,
      attachments: details.Attachments.sort(),
      metadata: details.Metadata,
      tracked: [details.TrackOpens, details.TrackLinks],
      events: details.MessageEvents.map(({ Type }) => Type),
      dump: dump.Body.includes('Subject: All'),
    })
  },
  async batch() {
    const sent = await client.sendEmailBatch([
      mail,
      { ...mail, To: 'nobody' },
      { ...mail, To: 'bob@example.com' },
    ])
    show(
      'batch',
      sent.map(({ ErrorCode, MessageID }) => [ErrorCode, typeof MessageID]),
    )
  },
  async list() {
    const all = await client.getOutboundMessages()
    const filter = new Models.OutboundMessagesFilteringParameters(1, 0, 'bob', 'hi@acme.test')
    const some = await client.getOutboundMessages(filter)
    const tagged = await client.getOutboundMessages({
      tag: 'welcome',
      metadata_order: '17',
      messageStream: 'outbound',
    })
    show('list', [
      all.TotalCount,
      all.Messages.length,
      some.TotalCount,
      some.Messages.length,
      tagged.TotalCount,
    ])
  },
  async templates() {
    const created = await client.createTemplate(
      new Models.CreateTemplateRequest(
        'Welcome',
        'Hi {{name}}',
        '<p>{{name}}</p>',
        '{{#each items}}{{title}} {{/each}}',
        'welcome',
      ),
    )
    const got = await client.getTemplate('welcome')
    const changed = await client.editTemplate(created.TemplateId, { Name: 'Hello' })
    const listed = await client.getTemplates()
    const TemplateModel = { name: 'Ada', items: [{ title: 'A' }, { title: 'B' }] }
    const sent = await client.sendEmailWithTemplate(
      new Models.TemplatedMessage(From, created.TemplateId, TemplateModel, mail.To),
    )
    const each = await client.sendEmailBatchWithTemplates([
      new Models.TemplatedMessage(From, 'welcome', { name: 'Bob' }, mail.To),
      new Models.TemplatedMessage(From, 'none', {}, mail.To),
    ])
    const { TextBody } = await client.getOutboundMessageDetails(sent.MessageID)
    const checked = await client.validateTemplate({
      Subject: '{{name}}',
      HtmlBody: '{{#each a}}',
      TestRenderModel: { name: 'Ada' },
    })
    const removed = await client.deleteTemplate('welcome')
    show('templates', {
      got: [got.TemplateId === created.TemplateId, got.Subject, got.Alias],
      changed: changed.Name,
      listed: [listed.TotalCount, listed.Templates[0].Name],
      text: TextBody,
      each: each.map(({ ErrorCode }) => ErrorCode),
      checked: [checked.AllContentIsValid, checked.Subject.RenderedContent, checked.HtmlBody.ContentIsValid],
      removed: removed.ErrorCode,
      gone: await errorOf(client.getTemplate('welcome')),
      wrong: await errorOf(client.createTemplate({ Name: 'a', Subject: 'b', HtmlBody: '{{#each a}}' })),
    })
  },
  async webhooks() {
    const posted = []
    const receiver = createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
      posted.push([body, request.headers.authorization, request.headers['x-own']])
      response.end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const created = await client.createWebhook(
      new Models.CreateWebhookRequest(
        `http://127.0.0.1:${receiver.address().port}/`,
        { Bounce: { Enabled: true } },
        { Username: 'user', Password: 'pass' },
        [{ Name: 'X-Own', Value: 'yes' }],
      ),
    )
    const changed = await client.editWebhook(created.ID, { Triggers: { SpamComplaint: { Enabled: true } } })
    await client.sendEmail({ ...mail, To: hardBounce, Metadata: { order: '18' } })
    await until(
      async () => posted.length,
      (count) => count > 0,
    )
    const [[event, authorization, own]] = posted
    const bounce = await client.getBounce(event.ID)
    const dump = await client.getBounceDump(event.ID)
    const listed = await client.getBounces({ type: Models.BounceType.HardBounce, emailFilter: 'hardbounce' })
    const stats = await client.getDeliveryStatistics()
    const hooks = await client.getWebhooks()
    const removed = await client.deleteWebhook(created.ID)
    show('webhooks', {
      triggers: [created, changed].map(({ Triggers }) => [
        Triggers.Bounce.Enabled,
        Triggers.SpamComplaint.Enabled,
      ]),
      event: [
        event.RecordType,
        event.Type,
        event.TypeCode,
        event.Inactive,
        event.Metadata,
        authorization,
        own,
      ],
      bounce: [bounce.ID === event.ID, bounce.Email, bounce.CanActivate],
      dump: dump.Body.includes('5.1.1'),
      listed: [listed.TotalCount, listed.Bounces[0].ID === event.ID],
      stats: stats.Bounces.map(({ Name, Count }) => [Name, Count]),
      hooks: hooks.Webhooks.length,
      removed: removed.ErrorCode,
      activated: (await client.activateBounce(event.ID)).Message,
    })
    receiver.close()
    receiver.closeAllConnections()
  },
  async suppressions() {
    const Suppressions = [{ EmailAddress: 'gone@example.com' }]
    const added = await client.createSuppressions('outbound', { Suppressions })
    const listed = await client.getSuppressions('outbound')
    const filtered = await client.getSuppressions('outbound', {
      emailAddress: 'gone@example.com',
      origin: Models.SuppressionOrigin.Customer,
      suppressionReason: Models.SuppressionReason.ManualSuppression,
    })
    const recipients = await client
      .sendEmail({ ...mail, To: 'gone@example.com' })
      .catch((error) => error.recipients)
    const partly = await client.sendEmail({ ...mail, Cc: 'gone@example.com' })
    const removed = await client.deleteSuppressions('outbound', { Suppressions })
    show('suppressions', {
      added: added.Suppressions[0].Status,
      listed: [listed.Suppressions.length, filtered.Suppressions[0].SuppressionReason],
      recipients,
      partly: partly.Message.includes('inactive addresses: gone@example.com.'),
      removed: removed.Suppressions[0].Status,
    })
  },
  async errors() {
    show('errors', {
      address: await errorOf(client.sendEmail({ ...mail, To: 'nobody' })),
      empty: await errorOf(client.sendEmail({ ...mail, TextBody: '' })),
      key: await errorOf(new ServerClient('POSTMARK_API_TEST', options).sendEmail(mail)),
      message: await errorOf(client.getOutboundMessageDetails('0a129aee-e1cd-480d-b08d-4f48548ff48d')),
      bounce: await errorOf(client.getBounce(17)),
      count: await errorOf(client.getBounces({ count: -1, offset: 0 })),
      bulk: await errorOf(client.sendBulkEmail({ From, Messages: [] })),
      streams: await errorOf(client.getMessageStreams()),
      stats: await errorOf(client.getOutboundOverview()),
      server: (await client.getServer()).ID,
    })
  },
}

for (const name of process.argv.slice(2)) await steps[name]()
