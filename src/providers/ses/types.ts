// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The body of `CreateEmailIdentity`. */
export interface SesNewIdentity {
  /** A domain, or an address. */
  EmailIdentity: string
  /** Has no effect. */
  ConfigurationSetName?: string
  DkimSigningAttributes?: never
  Tags?: never
}

/** The keys of a domain. */
export interface SesDkim {
  SigningEnabled: boolean
  Status: 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE'
  /** The selectors of the keys: `<token>._domainkey.<domain>`. */
  Tokens: string[]
  SigningAttributesOrigin: 'AWS_SES'
}

/** An identity in detail. */
export interface SesIdentity {
  IdentityType: 'EMAIL_ADDRESS' | 'DOMAIN'
  VerifiedForSendingStatus: boolean
  DkimAttributes: SesDkim
  FeedbackForwardingStatus: boolean
  VerificationStatus: 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE'
  Policies: Record<string, string>
  Tags: never[]
}

/** The body of `ListEmailIdentities`. */
export interface SesIdentityList {
  NextToken?: string
  PageSize?: number
  Filter?: never
}

/** An identity in the list. */
export interface SesListedIdentity {
  IdentityType: 'EMAIL_ADDRESS' | 'DOMAIN'
  IdentityName: string
  SendingEnabled: boolean
  VerificationStatus: 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE'
}

/** A text, with the charset that SES would write it in. */
export interface SesText {
  Data: string
  /** Has no effect: messages are in UTF-8. */
  Charset?: string
}

/** Recipients. */
export interface SesDestination {
  ToAddresses?: string[]
  CcAddresses?: string[]
  BccAddresses?: string[]
}

/** A header field. */
export interface SesField {
  Name: string
  Value: string
}

/** An attachment. */
export interface SesAttachment {
  /** The bytes in base64. */
  RawContent: string
  FileName: string
  /** Default: by the file name. */
  ContentType?: string
  /** Makes it a part of the HTML body. */
  ContentId?: string
  /** `INLINE` takes `ContentId`. */
  ContentDisposition?: 'ATTACHMENT' | 'INLINE'
  /** Has no effect: Localpost chooses the encoding. */
  ContentTransferEncoding?: 'BASE64' | 'QUOTED_PRINTABLE' | 'SEVEN_BIT'
  /** Has no effect. */
  ContentDescription?: string
}

/** A message in parts. */
export interface SesSimple {
  Subject: SesText
  Body: {
    Text?: SesText
    Html?: SesText
  }
  Headers?: SesField[]
  Attachments?: SesAttachment[]
}

/** A whole message. */
export interface SesRaw {
  /** The message in base64. */
  Data: string
}

/** The use of a template: one that is stored, or one in the request. */
export interface SesTemplateUse {
  TemplateName?: string
  TemplateArn?: never
  TemplateContent?: {
    Subject?: string
    Text?: string
    Html?: string
  }
  /** A JSON object. */
  TemplateData?: string
  Headers?: SesField[]
  Attachments?: SesAttachment[]
}

/** What is sent: one of the members. */
export interface SesContent {
  Simple?: SesSimple
  Raw?: SesRaw
  Template?: SesTemplateUse
}

/** A tag of an email, which its events have too. */
export interface SesTag {
  Name: string
  Value: string
}

/** The body of `SendEmail`. */
export interface SesSend {
  ReplyToAddresses?: string[]
  /** Has no effect. */
  FeedbackForwardingEmailAddress?: string
  /** Has no effect. */
  FeedbackForwardingEmailAddressIdentityArn?: string
  /** Has no effect. */
  FromEmailAddressIdentityArn?: string
  /** Any name. Events have it as the tag `ses:configuration-set`. */
  ConfigurationSetName?: string
  ConfigurationOverrides?: {
    Tracking?: {
      OpenTrackingEnabled?: 'ENABLED' | 'DISABLED'
      ClickTrackingEnabled?: 'ENABLED' | 'DISABLED'
    }
  }
  EndpointId?: never
  TenantName?: never
  /** Required but with `Raw`. */
  FromEmailAddress?: string
  /** Required but with `Raw`. */
  Destination?: SesDestination
  Content: SesContent
  EmailTags?: SesTag[]
  ListManagementOptions?: never
}

/** An email of a bulk request. */
export interface SesBulkEntry {
  Destination: SesDestination
  ReplacementTags?: SesTag[]
  ReplacementEmailContent?: {
    ReplacementTemplate?: {
      ReplacementTemplateData?: string
    }
  }
  ReplacementHeaders?: SesField[]
}

/** The body of `SendBulkEmail`. */
export interface SesBulk {
  ReplyToAddresses?: string[]
  /** Has no effect. */
  FeedbackForwardingEmailAddress?: string
  /** Has no effect. */
  FeedbackForwardingEmailAddressIdentityArn?: string
  /** Has no effect. */
  FromEmailAddressIdentityArn?: string
  /** Any name. Events have it as the tag `ses:configuration-set`. */
  ConfigurationSetName?: string
  ConfigurationOverrides?: {
    Tracking?: {
      OpenTrackingEnabled?: 'ENABLED' | 'DISABLED'
      ClickTrackingEnabled?: 'ENABLED' | 'DISABLED'
    }
  }
  EndpointId?: never
  TenantName?: never
  FromEmailAddress: string
  DefaultContent: {
    Template: SesTemplateUse
  }
  DefaultEmailTags?: SesTag[]
  BulkEmailEntries: SesBulkEntry[]
}

/** The body of `PutSuppressedDestination`. */
export interface SesNewSuppression {
  EmailAddress: string
  Reason: 'BOUNCE' | 'COMPLAINT'
  TenantName?: never
}

/** An address of the suppression list. */
export interface SesSuppressed {
  EmailAddress: string
  /** `BOUNCE` also for addresses that were added by hand. */
  Reason: 'BOUNCE' | 'COMPLAINT'
  /** Unix time in seconds. */
  LastUpdateTime: number
}

/** The texts of a template. */
export interface SesTemplateContent {
  Subject?: string
  Text?: string
  Html?: string
}

/** The body of `CreateEmailTemplate`. */
export interface SesTemplate {
  TemplateName: string
  TemplateContent: SesTemplateContent
  Tags?: never
}

/** The body of `UpdateEmailTemplate`. */
export interface SesTemplateUpdate {
  TemplateContent: SesTemplateContent
}
