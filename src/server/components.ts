import { z } from 'zod'
import * as accounts from '../accounts/schema.ts'
import * as audiences from '../audiences/schema.ts'
import * as faults from '../faults/schema.ts'
import * as rules from '../rules/schema.ts'
import * as domains from '../domains/schema.ts'
import * as events from '../emails/event-schema.ts'
import * as emails from '../emails/schema.ts'
import * as sends from '../emails/send-schema.ts'
import * as attachments from '../attachments/schema.ts'
import * as broadcasts from '../broadcasts/schema.ts'
import * as keys from '../keys/schema.ts'
import * as templates from '../templates/schema.ts'
import * as checks from '../checks/schema.ts'
import * as clients from '../client-support/schema.ts'
import * as inbox from '../inbox/schema.ts'
import * as sessions from '../inbox/smtp-session-schema.ts'
import * as sending from '../sending/schema.ts'
import * as errors from '../core/error-schema.ts'
import * as server from './schema.ts'
import * as webhooks from '../webhooks/schema.ts'

/** Names of the resources in the document's `components`; other schemas are inlined where they are used. */
export const components: z.core.$ZodRegistry<{ id: string }> = z.registry<{ id: string }>()

const named: Readonly<Record<string, z.ZodType>> = {
  ErrorBody: errors.errorSchema,
  ErrorCode: errors.errorCodeSchema,
  FieldError: errors.fieldErrorSchema,
  SendRequest: sends.sendRequestSchema,
  SendingRequest: sending.sendingRequestSchema,
  SentEmail: sending.sentEmailSchema,
  ScheduledEmail: sending.scheduledEmailSchema,
  Suppression: sending.suppressionSchema,
  VariableValue: sends.variableValueSchema,
  AttachmentReference: attachments.attachmentReferenceSchema,
  EmailType: emails.emailTypeSchema,
  Email: emails.emailListItemSchema,
  EmailDetail: emails.emailDetailSchema,
  LastEvent: events.lastEventSchema,
  RecipientStatus: events.recipientStatusSchema,
  RecipientEvent: events.recipientEventSchema,
  EmailEvent: events.emailEventSchema,
  EventCause: events.eventCauseSchema,
  Domain: domains.domainListItemSchema,
  DomainDetail: domains.domainDetailSchema,
  CreatedDomain: domains.createdDomainSchema,
  DomainStatus: domains.domainStatusSchema,
  VerificationErrorType: domains.verificationErrorTypeSchema,
  DnsRecord: domains.dnsRecordSchema,
  DnsRecordPurpose: domains.dnsRecordPurposeSchema,
  RecordCheck: domains.recordCheckSchema,
  VerificationInfo: domains.verificationInfoSchema,
  Account: domains.createdBySchema,
  Audience: audiences.audienceSchema,
  Contact: audiences.contactSchema,
  ContactInput: audiences.contactInputSchema,
  ImportResult: audiences.importResultSchema,
  BroadcastSummary: broadcasts.broadcastSummarySchema,
  BroadcastDetail: broadcasts.broadcastDetailSchema,
  Template: templates.templateSchema,
  TemplateVersion: templates.templateVersionSchema,
  ApiKey: keys.apiKeySchema,
  AccountInfo: accounts.accountInfoSchema,
  RulesInput: rules.rulesInputSchema,
  Rules: rules.rulesSchema,
  FaultsInput: faults.faultsInputSchema,
  Faults: faults.faultsSchema,
  HttpFault: faults.httpFaultSchema,
  SmtpFault: faults.smtpFaultSchema,
  FaultRateLimit: faults.faultRateLimitSchema,
  Webhook: webhooks.webhookSchema,
  WebhookDelivery: webhooks.webhookDeliverySchema,
  EmailPayload: events.emailPayloadSchema,
  DomainPayload: webhooks.domainPayloadSchema,
  DomainData: domains.domainDataSchema,
  MailSummary: inbox.mailSummarySchema,
  Mail: inbox.mailSchema,
  CheckReport: checks.checkReportSchema,
  CheckFinding: checks.findingSchema,
  ClientSupport: clients.clientSupportSchema,
  MailPreview: clients.mailPreviewSchema,
  LoggedRequest: server.loggedRequestSchema,
  SmtpProblem: sessions.smtpProblemSchema,
  SmtpSession: sessions.smtpSessionSchema,
  SmtpSessionSummary: sessions.smtpSessionSummarySchema,
  Health: server.healthSchema,
}
for (const [id, schema] of Object.entries(named)) components.add(schema, { id })

type Names = Readonly<Record<string, string>>

const statuses: Names = {
  sent: 'Sent',
  complained: 'Complained',
  delivered: 'Delivered',
  bounced: 'Bounced',
  delivery_delayed: 'Delayed',
  failed: 'Failed',
  opened: 'Opened',
  clicked: 'Clicked',
}
const eventTypes: Names = Object.fromEntries(
  Object.entries(statuses).map(([status, name]) => [`email.${status}`, name]),
)

/** Names of the options of a union, each by a value of the member that tells them apart. */
const unionOptions: readonly (readonly [union: z.ZodType, prefix: string, names: Names])[] = [
  [events.emailEventSchema, 'EmailEvent', statuses],
  [events.emailPayloadSchema, 'EmailPayload', eventTypes],
  [
    events.lastEventSchema,
    'LastEvent',
    { sent: 'Plain', delivered: 'Delivered', bounced: 'Bounced', clicked: 'Clicked' },
  ],
  [events.recipientStatusSchema, 'RecipientStatus', { sent: 'Plain', bounced: 'Bounced' }],
  [events.recipientEventSchema, 'RecipientEvent', { sent: 'Plain', opened: 'Hit' }],
  [events.eventCauseSchema, 'EventCause', { rule: 'Rule', simulator: 'Simulator' }],
  [domains.dnsRecordSchema, 'DnsRecord', { TXT: 'Txt', MX: 'Mx' }],
]
for (const [union, prefix, names] of unionOptions) {
  if (!(union instanceof z.ZodDiscriminatedUnion))
    throw new TypeError(`${prefix} is no union with a discriminator`)
  const { discriminator } = union.def
  for (const option of union.options) {
    // Of zod's own interface for libraries: the public one does not tell the values of a discriminator.
    const values = [...(option._zod.propValues?.[discriminator] ?? [])]
    const [name] = values.flatMap((value) => names[String(value)] ?? [])
    if (name === undefined) throw new TypeError(`${prefix} has an option without a name`)
    components.add(option, { id: `${prefix}${name}` })
  }
}

// This union has no such member: an option of it is a string, and the other one an object.
if (!(sends.variableValueSchema instanceof z.ZodUnion)) throw new TypeError('VariableValue is no union')
for (const option of sends.variableValueSchema.options)
  if (option instanceof z.ZodObject) components.add(option, { id: 'VariableValueWithDefault' })
