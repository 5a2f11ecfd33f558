import { readFileSync } from 'node:fs'
import {
  AudiencesApi,
  Configuration,
  DomainPayloadFromJSON,
  DomainsApi,
  EmailPayloadFromJSON,
  EmailsApi,
  ErrorBodyFromJSON,
  ResponseError,
} from './client/index'

const { LOCALPOST_URL = '', LOCALPOST_API_KEY = '', DOMAIN = '', PAYLOADS = '' } = process.env
const configuration = new Configuration({ basePath: LOCALPOST_URL, accessToken: LOCALPOST_API_KEY })
const emailsApi = new EmailsApi(configuration)
const domainsApi = new DomainsApi(configuration)
const audiencesApi = new AudiencesApi(configuration)

const domain = await domainsApi.createDomain({ createDomainBody: { name: DOMAIN } })
const records = domain.dnsRecords.map((record) =>
  record.type === 'MX' ? `MX ${record.priority}` : record.type,
)

const { id } = await emailsApi.sendEmail({
  idempotencyKey: DOMAIN,
  sendRequest: {
    from: 'Acme <hi@acme.test>',
    to: ['ada@example.com', 'bounce@simulator.localpost'],
    subject: 'Hello {{name}}',
    text: 'Hello {{name}}, {{code}}',
    // Its types have neither the null nor the plain text that are allowed too.
    variables: { name: { _default: 'Ada' }, code: { value: '482913' } },
    attachments: [{ filename: 'a.txt', path: 'data:text/plain;base64,aGVsbG8=' }],
  },
})
let email = await emailsApi.getEmail({ id })
const isPending = () => email.recipientStatuses.some(({ events }) => events.at(-1)?.status === 'sent')
while (isPending()) {
  await new Promise((done) => setTimeout(done, 100))
  email = await emailsApi.getEmail({ id })
}
const statuses = email.recipientStatuses.map(
  ({ recipient, events }) => `${recipient} ${events.at(-1)?.status}`,
)

let emails = 0
let pages = 0
const links: string[] = []
for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
  const page = await emailsApi.listEmails({ cursor })
  emails += page.emails.length
  for (const { lastEvent } of page.emails) if (lastEvent.status === 'clicked') links.push(lastEvent.link)
  cursor = page.cursor
}

const verified = (await domainsApi.listDomains()).domains.find(({ name }) => name === 'acme.test')
const detail = await domainsApi.getDomain({ id: verified?.id ?? '' })
const checked = detail.verificationInfo.lastCheckedTimestamp?.getTime()

const [audience] = (await audiencesApi.listAudiences()).audiences
const contacts = (await audiencesApi.listContacts({ audienceId: audience?.id ?? '' })).contacts.map(
  (contact) => contact.email,
)

const refused: unknown = await emailsApi.getEmail({ id: 'em_none' }).catch((error: unknown) => error)
const error =
  refused instanceof ResponseError ? ErrorBodyFromJSON(await refused.response.json()).name : refused

const posted = JSON.parse(readFileSync(PAYLOADS, 'utf8')) as { type: string }[]
const payloads = posted.map((json) => {
  if (json.type.startsWith('domain.')) {
    const { type, data } = DomainPayloadFromJSON(json)
    return `${type} ${data.name}`
  }
  const { type, data } = EmailPayloadFromJSON(json)
  return `${type} ${data.status} ${data.recipient}`
})

console.log(JSON.stringify({ records, statuses, emails, pages, links, checked, contacts, error, payloads }))
