import { readFileSync } from 'node:fs'
import createClient from 'openapi-fetch'
import type { components, paths } from './v1.d.ts'

const { LOCALPOST_URL = '', LOCALPOST_API_KEY = '', DOMAIN = '', PAYLOADS = '' } = process.env
const headers = { authorization: `Bearer ${LOCALPOST_API_KEY}` }
const client = createClient<paths>({ baseUrl: LOCALPOST_URL, headers })
function given<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const domain = given(await client.POST('/v1/domains', { body: { name: DOMAIN } }))
const records = domain.dns_records.map((record) =>
  record.type === 'MX' ? `MX ${record.priority}` : record.type,
)

const body = {
  from: 'Acme <hi@acme.test>',
  to: ['ada@example.com', 'bounce@simulator.localpost'],
  subject: 'Hello {{name}}',
  text: 'Hello {{name}}, {{code}}',
  variables: { name: { value: null, default: 'Ada' }, code: '482913' },
  attachments: [{ filename: 'a.txt', path: 'data:text/plain;base64,aGVsbG8=' }],
}
const params = { header: { 'Idempotency-Key': DOMAIN } }
const { id } = given(await client.POST('/v1/emails', { body, params }))
const readEmail = async () => given(await client.GET('/v1/emails/{id}', { params: { path: { id } } }))
let email = await readEmail()
const isPending = () => email.recipient_statuses.some(({ events }) => events.at(-1)?.status === 'sent')
while (isPending()) {
  await new Promise((done) => setTimeout(done, 100))
  email = await readEmail()
}
const statuses = email.recipient_statuses.map(
  ({ recipient, events }) => `${recipient} ${events.at(-1)?.status}`,
)

let emails = 0
let pages = 0
const links: string[] = []
for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
  const page: components['schemas']['ListEmailsAnswer'] = given(
    await client.GET('/v1/emails', { params: { query: cursor === undefined ? {} : { cursor } } }),
  )
  emails += page.emails.length
  for (const { last_event } of page.emails) if (last_event.status === 'clicked') links.push(last_event.link)
  cursor = page.cursor
}

const verified = given(await client.GET('/v1/domains', {})).domains.find(({ name }) => name === 'acme.test')
const detail = given(await client.GET('/v1/domains/{id}', { params: { path: { id: verified?.id ?? '' } } }))
const checked = Date.parse(detail.verification_info.last_checked_timestamp ?? '')

const [audience] = given(await client.GET('/v1/audiences', {})).audiences
const path = { audienceId: audience?.id ?? '' }
const contacts = given(
  await client.GET('/v1/audiences/{audienceId}/contacts', { params: { path } }),
).contacts.map((contact) => contact.email)

const { error } = await client.GET('/v1/emails/{id}', { params: { path: { id: 'em_none' } } })

type Payload = components['schemas']['EmailPayload'] | components['schemas']['DomainPayload']
const payloads = (JSON.parse(readFileSync(PAYLOADS, 'utf8')) as Payload[]).map((payload) =>
  'email_id' in payload.data
    ? `${payload.type} ${payload.data.status} ${payload.data.recipient}`
    : `${payload.type} ${payload.data.name}`,
)

console.log(
  JSON.stringify({
    records,
    statuses,
    emails,
    pages,
    links,
    checked,
    contacts,
    error: error?.name,
    payloads,
  }),
)
