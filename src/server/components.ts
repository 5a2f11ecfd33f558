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
  dnsRecordSchema,
  domainDataSchema,
  domainDetailSchema,
  domainListItemSchema,
  recordCheckSchema,
  verificationInfoSchema,
} from '../domains/schema.ts'
import {
  emailEventSchema,
  emailPayloadSchema,
  eventCauseSchema,
  lastEventSchema,
} from '../emails/event-schema.ts'
import { emailDetailSchema, emailListItemSchema, sendRequestSchema } from '../emails/schema.ts'
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
import { errorSchema } from '../core/error-schema.ts'
import { healthSchema, loggedRequestSchema } from './schema.ts'
import { domainPayloadSchema, webhookDeliverySchema, webhookSchema } from '../webhooks/schema.ts'

/** Names of the resources in the document's `components`; other schemas are inlined where they are used. */
export const components: z.core.$ZodRegistry<{ id: string }> = z.registry<{ id: string }>()

const named: Readonly<Record<string, z.ZodType>> = {
  Error: errorSchema,
  SendRequest: sendRequestSchema,
  SendingRequest: sendingRequestSchema,
  SentEmail: sentEmailSchema,
  ScheduledEmail: scheduledEmailSchema,
  Suppression: suppressionSchema,
  Email: emailListItemSchema,
  EmailDetail: emailDetailSchema,
  LastEvent: lastEventSchema,
  EmailEvent: emailEventSchema,
  EventCause: eventCauseSchema,
  Domain: domainListItemSchema,
  DomainDetail: domainDetailSchema,
  CreatedDomain: createdDomainSchema,
  DnsRecord: dnsRecordSchema,
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
