// Starting and stopping
export { createLocalpost } from './instance/create.ts'
export type {
  AccountResources,
  // Its earlier name.
  AccountResources as AccountNouns,
  Localpost,
  Requests,
  SmtpSessions,
} from './instance/instance.ts'
export type { Snapshot } from './instance/snapshots.ts'
export type { InstanceClock } from './instance/time.ts'
export type { ResetScope } from './options/reset-scopes.ts'
export type { HttpListener, ListenOptions, OpenListener } from './server/listener.ts'
export type { LoggedRequest } from './server/types.ts'
export type { LocalpostOptions } from './options/options.ts'
export type { Notice } from './options/notice.ts'

// Time
export { systemClock } from './core/clock.ts'
export { createClock, fixedClock } from './core/manual-clock.ts'
export type { Clock } from './core/clock.ts'
export type { HeldClock } from './core/manual-clock.ts'

// SMTP sessions
export type { SmtpSessionQuery } from './capture/session-log.ts'
export type {
  SmtpProblem,
  SmtpProblemKind,
  SmtpSession,
  SmtpSessionSummary,
} from './inbox/smtp-session-types.ts'

// Errors
export { LocalpostError, errorTable } from './core/errors.ts'
export type { ErrorBody, ErrorCode, ErrorDetails, FieldError } from './core/errors.ts'

// Lists
export type { ListPage, ListQuery } from './core/lists.ts'

// Emails
export type { AttachmentReference } from './attachments/types.ts'
export type { Emails, SendOptions } from './emails/emails.ts'
export type {
  AddedEvent,
  BounceSubtype,
  BounceType,
  EmailDetail,
  EmailEvent,
  EmailListItem,
  EmailType,
  EventStatus,
  LastEvent,
  RecipientEvent,
  RecipientStatus,
} from './emails/types.ts'
export type { SendRequest, VariableValue } from './emails/send-types.ts'
export type { Simulation } from './emails/simulate.ts'

// Sending
export type { Sends } from './instance/library-sends.ts'
export type { Scheduled } from './sending/scheduled.ts'
export type { Suppressions } from './sending/suppressions.ts'
export type {
  ContentAttachment,
  ScheduledEmail,
  SendingRequest,
  SentAttachment,
  SentEmail,
  Suppression,
  SuppressionInput,
} from './sending/types.ts'

// Domains
export type { Domains } from './domains/domains.ts'
export type {
  CreatedBy,
  // Its earlier name. It says who created a domain, and has nothing to do with the accounts below.
  CreatedBy as Account,
  CreatedDomain,
  DeclaredVerification,
  DnsRecord,
  DnsRecordPurpose,
  DomainDetail,
  DomainListItem,
  DomainSettings,
  DomainStatus,
  VerificationErrorType,
  VerificationInfo,
} from './domains/types.ts'

// Audiences and contacts
export type { Audiences } from './audiences/audiences.ts'
export type { Contacts } from './audiences/contacts.ts'
export type { Audience, Contact, ContactChanges, ContactInput, ImportResult } from './audiences/types.ts'

// Broadcasts
export type { Broadcasts } from './broadcasts/broadcasts.ts'
export type {
  Broadcast,
  BroadcastDetail,
  BroadcastListQuery,
  BroadcastMoment,
  BroadcastRequest,
  BroadcastSummary,
  BroadcastTotals,
} from './broadcasts/types.ts'

// Accounts
export type { Accounts } from './accounts/accounts.ts'
export type {
  AccountChanges,
  AccountInfo,
  AccountInput,
  CreatedAccount,
  RenewedPassword,
} from './accounts/types.ts'

// Templates
export type { Templates } from './templates/templates.ts'
export type { Template, TemplateInput, TemplateVersion } from './templates/types.ts'

// Webhooks
export type { Webhooks } from './webhooks/service.ts'
export type { DomainData } from './domains/types.ts'
export type { EmailPayload } from './emails/events.ts'
export type {
  DomainEventType,
  DomainPayload,
  EmailEventType,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryState,
  WebhookInput,
  WebhookPattern,
} from './webhooks/types.ts'
export type { WebhookPayload } from './webhooks/webhook.ts'

// Rules and faults: what goes wrong on purpose
export type { Rules } from './rules/rules.ts'
export type { Rule, RuleInput } from './rules/types.ts'
export type { Faults } from './faults/faults.ts'
export type {
  FaultChance,
  FaultRateLimit,
  FaultsInput,
  FaultsState,
  HttpFault,
  HttpFaultMethod,
  SmtpFault,
  SmtpStage,
} from './faults/types.ts'

// Inbox
export type { BulkOptions, Selection } from './inbox/bulk.ts'
export type {
  BulkChanges,
  ListedBroadcast,
  ListedMail,
  ListUnsubscribe,
  Mail,
  MailAttachment,
  MailChanges,
  MailSummary,
  TagChanges,
  TagColor,
  TagCount,
  TranscriptLine,
} from './inbox/types.ts'
export type { MissingCause, MissingCauseCode, MissingEvidence, MissingMail } from './inbox/missing-types.ts'
export type { ReplyRequest } from './inbox/reply-types.ts'
export type { Inbox, InboxCheckOptions } from './inbox/methods.ts'
export type { Link } from './reading/types.ts'
export type { MissingQuery } from './inbox/missing.ts'
export type { QuietOptions, WaitOptions } from './inbox/wait.ts'
export type { MailQuery, MailQueryMembers } from './search/query-members.ts'
export type { SearchPage, SearchQuery } from './search/search-page.ts'
export type { DkimResult } from './mime/types.ts'

// Checks and previews
export { unrenderedPlaceholders } from './checks/placeholders.ts'
export type { MailCheckOptions } from './checks/options.ts'
export type { CheckReport, CheckRun, Finding, Place, Severity } from './checks/types.ts'
export type { CompareOptions } from './compare/compare.ts'
export type { ComparedLine, ComparedSection, MailComparison } from './compare/types.ts'
export type { PreviewClient } from './client-support/preview-clients.ts'
export type { ClientSupportOptions } from './client-support/client-support.ts'
export type {
  ClientScore,
  ClientSupport,
  MailPreview,
  RemovedFeature,
  SupportedFeature,
} from './client-support/types.ts'
