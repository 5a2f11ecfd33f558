import { z } from 'zod'
import { accountInfoSchema } from '../accounts/schema.ts'
import { audienceSchema, contactInputSchema, contactSchema, importResultSchema } from '../audiences/schema.ts'
import {
  faultRateLimitSchema,
  faultsInputSchema,
  faultsSchema,
  httpFaultSchema,
  smtpFaultSchema,
} from '../faults/schema.ts'
import { rulesInputSchema, rulesSchema } from '../rules/schema.ts'
import {
  accountSchema,
  createdDomainSchema,
  dnsRecordPurposeSchema,
  dnsRecordSchema,
  domainDataSchema,
  domainDetailSchema,
  domainListItemSchema,
  domainStatusSchema,
  recordCheckSchema,
  verificationErrorTypeSchema,
  verificationInfoSchema,
} from '../domains/schema.ts'
import {
  emailEventSchema,
  emailPayloadSchema,
  eventCauseSchema,
  lastEventSchema,
  recipientEventSchema,
  recipientStatusSchema,
} from '../emails/event-schema.ts'
import { emailDetailSchema, emailListItemSchema, emailTypeSchema } from '../emails/schema.ts'
import { sendRequestSchema, variableValueSchema } from '../emails/send-schema.ts'
import { attachmentReferenceSchema } from '../attachments/schema.ts'
import { broadcastDetailSchema, broadcastSummarySchema } from '../broadcasts/schema.ts'
import { apiKeySchema } from '../keys/schema.ts'
import { templateSchema, templateVersionSchema } from '../templates/schema.ts'
import { checkReportSchema, findingSchema } from '../checks/schema.ts'
import { clientSupportSchema, mailPreviewSchema } from '../client-support/schema.ts'
import { mailSchema, mailSummarySchema } from '../inbox/schema.ts'
import {
  smtpProblemSchema,
  smtpSessionSchema,
  smtpSessionSummarySchema,
} from '../inbox/smtp-session-schema.ts'
import {
  scheduledEmailSchema,
  sendingRequestSchema,
  sentEmailSchema,
  suppressionSchema,
} from '../sending/schema.ts'
import { errorCodeSchema, errorSchema, fieldErrorSchema } from '../core/error-schema.ts'
import { healthSchema, loggedRequestSchema } from './schema.ts'
import { domainPayloadSchema, webhookDeliverySchema, webhookSchema } from '../webhooks/schema.ts'

/** Names of the resources in the document's `components`; other schemas are inlined where they are used. */
export const components: z.core.$ZodRegistry<{ id: string }> = z.registry<{ id: string }>()

const named: Readonly<Record<string, z.ZodType>> = {
  ErrorBody: errorSchema,
  ErrorCode: errorCodeSchema,
  FieldError: fieldErrorSchema,
  SendRequest: sendRequestSchema,
  SendingRequest: sendingRequestSchema,
  SentEmail: sentEmailSchema,
  ScheduledEmail: scheduledEmailSchema,
  Suppression: suppressionSchema,
  VariableValue: variableValueSchema,
  AttachmentReference: attachmentReferenceSchema,
  EmailType: emailTypeSchema,
  Email: emailListItemSchema,
  EmailDetail: emailDetailSchema,
  LastEvent: lastEventSchema,
  RecipientStatus: recipientStatusSchema,
  RecipientEvent: recipientEventSchema,
  EmailEvent: emailEventSchema,
  EventCause: eventCauseSchema,
  Domain: domainListItemSchema,
  DomainDetail: domainDetailSchema,
  CreatedDomain: createdDomainSchema,
  DomainStatus: domainStatusSchema,
  VerificationErrorType: verificationErrorTypeSchema,
  DnsRecord: dnsRecordSchema,
  DnsRecordPurpose: dnsRecordPurposeSchema,
  RecordCheck: recordCheckSchema,
  VerificationInfo: verificationInfoSchema,
  Account: accountSchema,
  Audience: audienceSchema,
  Contact: contactSchema,
  ContactInput: contactInputSchema,
  ImportResult: importResultSchema,
  BroadcastSummary: broadcastSummarySchema,
  BroadcastDetail: broadcastDetailSchema,
  Template: templateSchema,
  TemplateVersion: templateVersionSchema,
  ApiKey: apiKeySchema,
  AccountInfo: accountInfoSchema,
  RulesInput: rulesInputSchema,
  Rules: rulesSchema,
  FaultsInput: faultsInputSchema,
  Faults: faultsSchema,
  HttpFault: httpFaultSchema,
  SmtpFault: smtpFaultSchema,
  FaultRateLimit: faultRateLimitSchema,
  Webhook: webhookSchema,
  WebhookDelivery: webhookDeliverySchema,
  EmailPayload: emailPayloadSchema,
  DomainPayload: domainPayloadSchema,
  DomainData: domainDataSchema,
  MailSummary: mailSummarySchema,
  Mail: mailSchema,
  CheckReport: checkReportSchema,
  CheckFinding: findingSchema,
  ClientSupport: clientSupportSchema,
  MailPreview: mailPreviewSchema,
  LoggedRequest: loggedRequestSchema,
  SmtpProblem: smtpProblemSchema,
  SmtpSession: smtpSessionSchema,
  SmtpSessionSummary: smtpSessionSummarySchema,
  Health: healthSchema,
}
for (const [id, schema] of Object.entries(named)) components.add(schema, { id })

const statuses = ['Sent', 'Complained', 'Delivered', 'Bounced', 'Delayed', 'Failed', 'Opened', 'Clicked']

/** Names of the objects that a union chooses between, in its order: `''` for an option that is no object. */
const options: readonly (readonly [union: z.ZodType, prefix: string, names: readonly string[]])[] = [
  [emailEventSchema, 'EmailEvent', statuses],
  [emailPayloadSchema, 'EmailPayload', statuses],
  [lastEventSchema, 'LastEvent', ['Plain', 'Delivered', 'Bounced', 'Clicked']],
  [recipientStatusSchema, 'RecipientStatus', ['Plain', 'Bounced']],
  [recipientEventSchema, 'RecipientEvent', ['Plain', 'Hit']],
  [eventCauseSchema, 'EventCause', ['Rule', 'Simulator']],
  [dnsRecordSchema, 'DnsRecord', ['Txt', 'Mx']],
  [variableValueSchema, 'VariableValue', ['', 'WithDefault']],
]
for (const [union, prefix, names] of options) {
  if (!(union instanceof z.ZodUnion)) throw new TypeError(`${prefix} is no union`)
  union.options.forEach((option, index) => {
    if (names[index]) components.add(option, { id: `${prefix}${names[index]}` })
  })
}
