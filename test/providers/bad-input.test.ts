import { expect, test } from 'vitest'
import { z } from 'zod'
import { LocalpostError, type Localpost } from '../../src/index.ts'
import { errorAnswer } from '../../src/server/answer.ts'
import type { Face } from '../../src/server/face.ts'
import type { Route } from '../../src/server/route.ts'
import { hollowApp } from '../server/validate-response.ts'
import { start } from '../support/instance.ts'
import { isLong } from '../support/long.ts'
import { keyHeaders } from './_authorization.ts'
import { mail } from './_resend.ts'

const rows = hollowApp().routes.filter(
  ({ face, body }) => face && body && !body.textTypes && body.forms !== 'only',
)
const nameOf = ({ method, path }: Route): string => `${method} ${path}`

const marked = {
  From: mail.from,
  To: mail.to,
  Subject: mail.subject,
  TextBody: mail.text,
  Metadata: { a: 'b' },
  Headers: [{ Name: 'X-A', Value: 'b' }],
  Attachments: [{ Name: 'a.txt', Content: 'YQ==' }],
}
const { Subject: _subject, TextBody: _text, ...further } = marked
const fromTemplate = { ...further, TemplateAlias: 'welcome', TemplateModel: { a: 'b' } }
const markedHook = {
  HttpAuth: { Username: 'a', Password: 'b' },
  HttpHeaders: [{ Name: 'X-A', Value: 'b' }],
  Triggers: { Open: { Enabled: true }, Bounce: { Enabled: true } },
}

/** A right body for each row that has one, with every member that can be wrong inside. */
const samples: Readonly<Record<string, unknown>> = {
  'POST /resend/emails': {
    ...mail,
    tags: [{ name: 'a', value: 'b' }],
    attachments: [{ filename: 'a.txt', content: 'YQ==' }],
    headers: { 'X-A': 'b' },
  },
  'POST /resend/emails/batch': [mail],
  'PATCH /resend/emails/{id}': { scheduled_at: 'in 1 min' },
  'POST /resend/domains': { name: 'acme.test' },
  'PATCH /resend/domains/{id}': { open_tracking: true },
  'POST /postmark/email': marked,
  'POST /postmark/email/batch': [marked],
  'POST /postmark/email/withTemplate': fromTemplate,
  'POST /postmark/email/batchWithTemplates': { Messages: [fromTemplate] },
  'POST /postmark/templates': { Name: 'a', Subject: 'b', TextBody: 'c' },
  'PUT /postmark/templates/{id}': { Name: 'a' },
  'POST /postmark/templates/validate': { Subject: 'a' },
  'POST /postmark/webhooks': { Url: 'http://127.0.0.1:9/', ...markedHook },
  'PUT /postmark/webhooks/{id}': markedHook,
  'POST /postmark/message-streams/{stream}/suppressions': { Suppressions: [{ EmailAddress: mail.to }] },
  'POST /postmark/message-streams/{stream}/suppressions/delete': {
    Suppressions: [{ EmailAddress: mail.to }],
  },
  'POST /ses/v2/email/outbound-emails': {
    FromEmailAddress: mail.from,
    Destination: { ToAddresses: [mail.to] },
    Content: {
      Simple: {
        Subject: { Data: 'Hello' },
        Body: { Text: { Data: 'It works.' } },
        Headers: [{ Name: 'X-A', Value: 'b' }],
        Attachments: [{ FileName: 'a.txt', RawContent: 'YQ==' }],
      },
    },
    EmailTags: [{ Name: 'a', Value: 'b' }],
    ConfigurationOverrides: { Tracking: { OpenTrackingEnabled: 'ENABLED' } },
  },
  'POST /ses/v2/email/outbound-bulk-emails': {
    FromEmailAddress: mail.from,
    DefaultContent: { Template: { TemplateContent: { Subject: 'Hello', Text: 'x' }, TemplateData: '{}' } },
    DefaultEmailTags: [{ Name: 'a', Value: 'b' }],
    BulkEmailEntries: [
      {
        Destination: { ToAddresses: [mail.to] },
        ReplacementHeaders: [{ Name: 'X-A', Value: 'b' }],
        ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: '{}' } },
      },
    ],
  },
  'POST /ses/v2/email/templates': { TemplateName: 'a', TemplateContent: { Subject: 'x' } },
  'PUT /ses/v2/email/templates/{name}': { TemplateContent: { Subject: 'x' } },
  'POST /ses/v2/email/templates/{name}/render': { TemplateData: '{}' },
  'POST /ses/v2/email/configuration-sets': { ConfigurationSetName: 'a' },
  'POST /ses/v2/email/list-configuration-sets': { PageSize: 10 },
  'POST /ses/v2/email/configuration-sets/{set}/event-destinations': {
    EventDestinationName: 'a',
    EventDestination: { Enabled: true, MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn: 'a' } },
  },
  'PUT /ses/v2/email/configuration-sets/{set}/event-destinations/{name}': {
    EventDestination: { Enabled: true, MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn: 'a' } },
  },
  'POST /ses/v2/email/identities': { EmailIdentity: 'acme.test' },
  'POST /ses/v2/email/list-identities': { PageSize: 10 },
  'PUT /ses/v2/email/suppression/addresses': { EmailAddress: mail.to, Reason: 'BOUNCE' },
  'PUT /api/v1/messages': { Read: true, IDs: ['em_1'] },
  'DELETE /api/v1/messages': { IDs: ['em_1'] },
  'PUT /api/v1/tags': { IDs: ['em_1'], Tags: ['a'] },
  'PUT /api/v1/tags/{tag}': { Name: 'b' },
  'POST /api/v1/message/{id}/release': { To: ['a@acme.test'] },
  'PUT /api/v1/chaos': { Sender: { ErrorCode: 451, Probability: 5 } },
  'POST /api/v1/send': {
    From: { Email: 'a@acme.test', Name: 'Acme' },
    To: [{ Email: 'b@acme.test' }],
    Bcc: ['c@acme.test'],
    Headers: { 'X-A': 'b' },
    Tags: ['a'],
    Attachments: [{ Content: 'YQ==', Filename: 'a.txt' }],
  },
  'POST /sendgrid/v3/mail/send': {
    personalizations: [
      {
        to: [{ email: mail.to }],
        cc: [{ email: 'cc@example.com' }],
        headers: { 'X-A': 'b' },
        custom_args: { a: 'b' },
        substitutions: { a: 'b' },
      },
    ],
    from: { email: 'hi@acme.test' },
    reply_to_list: [{ email: 'hi@acme.test' }],
    subject: 'Hello',
    content: [{ type: 'text/plain', value: 'x' }],
    attachments: [{ content: 'YQ==', filename: 'a.txt' }],
    headers: { 'X-A': 'b' },
    custom_args: { a: 'b' },
    categories: ['a'],
    asm: { group_id: 1, groups_to_display: [1] },
    mail_settings: {
      sandbox_mode: { enable: false },
      bypass_list_management: {},
      bypass_spam_management: {},
      bypass_bounce_management: {},
      bypass_unsubscribe_management: {},
      footer: {},
      bcc: {},
      spam_check: {},
    },
    tracking_settings: {
      click_tracking: {},
      open_tracking: {},
      subscription_tracking: {},
      ganalytics: {},
    },
  },
  'POST /sendgrid/v3/user/scheduled_sends': { batch_id: 'a', status: 'cancel' },
  'POST /sendgrid/v3/templates': { name: 'a', generation: 'dynamic' },
  'PATCH /sendgrid/v3/templates/{template_id}': { name: 'a' },
  'POST /sendgrid/v3/templates/{template_id}/versions': { name: 'a', subject: 'a' },
  'PATCH /sendgrid/v3/templates/{template_id}/versions/{version_id}': { name: 'a', subject: 'a' },
  'DELETE /sendgrid/v3/suppression/bounces': { emails: ['a@acme.test'] },
  'DELETE /sendgrid/v3/suppression/spam_reports': { emails: ['a@acme.test'] },
  'POST /sendgrid/v3/asm/suppressions/global': { recipient_emails: ['a@acme.test'] },
  'POST /sendgrid/v3/user/webhooks/event/settings': { url: 'http://127.0.0.1:9/', bounce: true },
  'PATCH /sendgrid/v3/user/webhooks/event/settings/{id}': { click: true },
  'PATCH /sendgrid/v3/user/webhooks/event/settings/signed/{id}': { enabled: true },
  'POST /resend/templates': {
    name: 'order',
    html: '{{{A}}}',
    variables: [{ key: 'A', type: 'string', fallback_value: 'x' }],
  },
  'PATCH /resend/templates/{id}': { html: 'x' },
  'POST /mailgun/v3/{domain}/bounces': [{ address: mail.to, code: 550 }],
  'POST /mailgun/v3/{domain}/complaints': { address: mail.to },
  'POST /mailgun/v3/{domain}/unsubscribes': { address: mail.to, tags: ['*'] },
  'POST /mailgun/v4/domains': { name: 'acme.test' },
  'POST /mailgun/v3/domains': { name: 'acme.test' },
  'POST /mailgun/v3/domains/{domain}/webhooks': { id: 'accepted', url: 'http://127.0.0.1:9/' },
  'PUT /mailgun/v3/domains/{domain}/webhooks/{name}': { url: 'http://127.0.0.1:9/' },
  'PATCH /resend/webhooks/{id}': {
    endpoint: 'http://127.0.0.1:9/',
    events: ['email.sent'],
    status: 'enabled',
  },
  'POST /resend/webhooks': { endpoint: 'http://127.0.0.1:9/', events: ['email.sent'] },
}

type JsonSchema = { properties?: Record<string, JsonSchema>; items?: JsonSchema; anyOf?: JsonSchema[] }
type Path = readonly (string | number)[]

/** Where a value of a sample can be wrong: at each member of each object in it, those that the sample lacks included. */
function placesOf(schema: JsonSchema, sample: unknown, path: Path = []): Path[] {
  const { properties, items, anyOf = [] } = schema
  const inner = anyOf.flatMap((branch) => placesOf(branch, sample, path))
  if (Array.isArray(sample) && items) return [...inner, ...placesOf(items, sample[0], [...path, 0])]
  const isObject = typeof sample === 'object' && sample !== null && !Array.isArray(sample)
  if (!isObject || !properties) return inner
  const members = Object.entries(properties).flatMap(([name, member]) => [
    [...path, name],
    ...placesOf(member, Reflect.get(sample, name), [...path, name]),
  ])
  return [...inner, ...members, [...path, 'no_such_member']]
}

/** A copy of a value with another one at a place. */
function withValue(value: unknown, [first, ...rest]: Path, wrong: unknown): unknown {
  if (first === undefined) return wrong
  if (Array.isArray(value)) return value.map((one, i) => (i === first ? withValue(one, rest, wrong) : one))
  const object = value as Record<string, unknown>
  return { ...object, [first]: withValue(object[first], rest, wrong) }
}

/** Values of every kind. Those that the schema takes at a place are left out. */
const values: readonly unknown[] = [7, true, 'x', {}, [], [7], { no: 1 }, '']

/** The first of the numbers, of the booleans, of the texts, of the objects and of the arrays. */
function oneOfEachKind(all: readonly unknown[]): unknown[] {
  const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)
  return all.filter((value, at) => all.findIndex((other) => kindOf(other) === kindOf(value)) === at)
}

async function countAll(post: Localpost): Promise<number[]> {
  const lists = [
    post.emails.list(),
    post.sending.scheduled.list(),
    post.domains.list(),
    post.webhooks.list(),
    post.suppressions.list(),
  ]
  return (await Promise.all(lists)).map(({ count }) => count)
}

test('has a sample for every row with a body', () => {
  expect(Object.keys(samples).sort()).toEqual(rows.map(nameOf).sort())
})

test.each(rows.map((row) => [nameOf(row), row] as const))(
  '%s refuses every wrong member in the form of the provider, names it, and stores nothing',
  async (name, { method, path, body, face }) => {
    const post = await start()
    const before = await countAll(post)
    const headers = { ...keyHeaders(path, post.apiKey), 'content-type': 'application/json' }
    const send = async (given: unknown): Promise<[number, string]> => {
      const url = `http://localhost${path.replace(/\{\w+\}/g, 'none')}`
      const init = { method, headers, body: JSON.stringify(given) }
      const response = await post.fetch(new Request(url, init))
      const text = await response.text()
      // Postmark answers for each email of a batch.
      const isBatch = response.ok && path.startsWith('/postmark/email/batch')
      if (isBatch) z.array((face as Face).errorSchema).parse(JSON.parse(text))
      else if (response.headers.get('content-type')?.startsWith('application/json'))
        (face as Face).errorSchema.parse(JSON.parse(text))
      return [isBatch ? 422 : response.status, text]
    }
    const schema = body?.schema ?? z.never()
    const sample = samples[name]
    const places = placesOf(
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema,
      sample,
    )
    expect(places.length).toBeGreaterThan(1)
    for (const place of places) {
      const wrong = values.filter((value) => !schema.safeParse(withValue(sample, place, value)).success)
      for (const value of isLong ? wrong : oneOfEachKind(wrong)) {
        const given = withValue(sample, place, value)
        const [status, text] = await send(given)
        const what = `${place.join('.')} = ${JSON.stringify(value)}: ${text}`
        expect(status, what).toBeGreaterThanOrEqual(400)
        expect(status, what).toBeLessThan(500)
        expect(text, what).toContain(String(place.findLast((step) => typeof step === 'string')))
      }
    }
    const { status } = errorAnswer(new LocalpostError('validation_error', ''), face, path)
    for (const whole of [7, 'x', true]) expect((await send(whole))[0]).toBe(status)
    expect(await countAll(post)).toEqual(before)
  },
)
