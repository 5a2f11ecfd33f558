// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** A bounce. */
export interface PostmarkBounce {
  RecordType: 'Bounce'
  ID: number
  /**
   * One of HardBounce, Transient, Unknown, SoftBounce, SpamComplaint, ManuallyDeactivated, Blocked,
   * SMTPApiError.
   */
  Type: string
  TypeCode: number
  Name: string
  Description: string
  Tag: string
  MessageID: string
  MessageStream: string
  Metadata: Record<string, string>
  ServerID: number
  /** What the server answered, where one did. */
  Details: string
  Email: string
  From: string
  BouncedAt: string
  DumpAvailable: boolean
  /** Whether the address is on the suppression list now. */
  Inactive: boolean
  CanActivate: boolean
  Subject: string
}

/** An address in an answer. */
export interface PostmarkRecipient {
  Email: string
  /** `""` if it has none. */
  Name: string
}

/** An email in the list. */
export interface PostmarkMessage {
  /** `""` if it has none. */
  Tag: string
  MessageID: string
  MessageStream: string
  To: PostmarkRecipient[]
  Cc: PostmarkRecipient[]
  Bcc: PostmarkRecipient[]
  Recipients: string[]
  ReceivedAt: string
  From: string
  Subject: string
  /** Their names. */
  Attachments: string[]
  /** `Queued` until the first delivery was tried, `Processed` while a recipient waits for another try. */
  Status: 'Queued' | 'Sent' | 'Processed'
  TrackOpens: boolean
  TrackLinks: 'None' | 'HtmlOnly'
  Metadata: Record<string, string>
  Sandboxed: false
}

/** An email in detail. */
export interface PostmarkMessageDetails extends PostmarkMessage {
  TextBody: string
  HtmlBody: string
  /** The message as it was sent; `""` before it is written, and above 5 MB. */
  Body: string
  MessageEvents: {
    Recipient: string
    Type: 'Delivered' | 'Transient' | 'Bounced' | 'Opened' | 'LinkClicked' | 'SubscriptionChanged'
    ReceivedAt: string
    Details: Record<string, string | number>
  }[]
}

/** A header field. */
export interface PostmarkHeader {
  Name: string
  Value: string
}

/** An attachment of an email. */
export interface PostmarkAttachment {
  Name: string
  /** The bytes in base64. */
  Content: string
  /** Default: by the name. */
  ContentType?: string | null
  /** Makes it a part of the HTML body, which shows it by `cid:`; with or without `cid:`. */
  ContentID?: string | null
  /** Has no effect. */
  ContentLength?: number | null
  /** Has no effect: an attachment with `ContentID` is inline. */
  Disposition?: string | null
}

/** The body of `POST /email`. */
export interface PostmarkEmail {
  /** Required. */
  From?: string | null
  /** With or without names, separated by commas. */
  To?: string | null
  /** With or without names, separated by commas. */
  Cc?: string | null
  /** With or without names, separated by commas. */
  Bcc?: string | null
  /** With or without names, separated by commas. */
  ReplyTo?: string | null
  /** Also a tag of the mail in the inbox. */
  Tag?: string | null
  /** At most 10 names of 20 characters, with values of 80. Kept as `metadata`, and in events. */
  Metadata?: Record<string, string> | null
  /** Further header fields. */
  Headers?: PostmarkHeader[] | null
  Attachments?: PostmarkAttachment[] | null
  /** Any name: Localpost has no streams. Answers and events have it. Default: `outbound`. */
  MessageStream?: string | null
  /** Default: as the domain has it. */
  TrackOpens?: boolean | null
  /** Only links of `HtmlBody` are tracked, so `TextOnly` is refused. Default: as the domain has it. */
  TrackLinks?: 'None' | 'HtmlAndText' | 'HtmlOnly' | null
  Subject?: string | null
  /** `HtmlBody`, `TextBody` or both are required. */
  HtmlBody?: string | null
  /** Localpost makes no text of `HtmlBody`. */
  TextBody?: string | null
}

/** The body of `POST /email/withTemplate`. */
export interface PostmarkTemplatedEmail {
  /** Required. */
  From?: string | null
  /** With or without names, separated by commas. */
  To?: string | null
  /** With or without names, separated by commas. */
  Cc?: string | null
  /** With or without names, separated by commas. */
  Bcc?: string | null
  /** With or without names, separated by commas. */
  ReplyTo?: string | null
  /** Also a tag of the mail in the inbox. */
  Tag?: string | null
  /** At most 10 names of 20 characters, with values of 80. Kept as `metadata`, and in events. */
  Metadata?: Record<string, string> | null
  /** Further header fields. */
  Headers?: PostmarkHeader[] | null
  Attachments?: PostmarkAttachment[] | null
  /** Any name: Localpost has no streams. Answers and events have it. Default: `outbound`. */
  MessageStream?: string | null
  /** Default: as the domain has it. */
  TrackOpens?: boolean | null
  /** Only links of `HtmlBody` are tracked, so `TextOnly` is refused. Default: as the domain has it. */
  TrackLinks?: 'None' | 'HtmlAndText' | 'HtmlOnly' | null
  /** `TemplateId` or `TemplateAlias` is required. */
  TemplateId?: number | null
  /** The id of a template of this account. */
  TemplateAlias?: string | null
  /** What the template is rendered with: any JSON. */
  TemplateModel: Record<string, unknown>
  /** Has no effect: styles stay where they are. */
  InlineCss?: boolean | null
}

/** The same for the document. */
export interface PostmarkTemplatedBatch {
  /** At most 500. */
  Messages: PostmarkTemplatedEmail[]
}

/** An address of the suppression list. */
export interface PostmarkSuppression {
  EmailAddress: string
  SuppressionReason: 'HardBounce' | 'SpamComplaint' | 'ManualSuppression'
  /** `Customer` for one that was added by hand. */
  Origin: 'Recipient' | 'Customer' | 'Admin'
  CreatedAt: string
}

/** What became of an address of a request. */
export interface PostmarkSuppressionStatus {
  EmailAddress: string
  Status: 'Suppressed' | 'Deleted' | 'Failed'
  Message: string | null
}

/** The addresses of a request. */
export interface PostmarkSuppressions {
  /** At most 50. */
  Suppressions: {
    EmailAddress: string
  }[]
}

/** The body of `POST /templates`. */
export interface PostmarkNewTemplate {
  Name: string
  /** Also the id of the template in Localpost. Default: the number that it gets. */
  Alias?: string | null
  /** In Mustachio. */
  Subject: string
  /** In Mustachio. `HtmlBody`, `TextBody` or both are required. */
  HtmlBody?: string | null
  /** In Mustachio. */
  TextBody?: string | null
  TemplateType?: 'Standard' | null
  LayoutTemplate?: null
}

/** The body of `PUT /templates/{idOrAlias}`: what is absent stays. */
export interface PostmarkTemplateChanges {
  Name?: string
  /** Only the one that it has: it is the id of the template in Localpost. */
  Alias?: string | null
  Subject?: string
  /** In Mustachio. `HtmlBody`, `TextBody` or both are required. */
  HtmlBody?: string | null
  /** In Mustachio. */
  TextBody?: string | null
  TemplateType?: 'Standard' | null
  LayoutTemplate?: null
}

/** A template in the list, and the answer to a change. */
export interface PostmarkListedTemplate {
  TemplateId: number
  /** The id, where it has none. */
  Name: string
  /** The id in Localpost; null where that is a number. */
  Alias: string | null
  Active: true
  TemplateType: 'Standard'
  LayoutTemplate: null
}

/** A template. */
export interface PostmarkTemplate extends PostmarkListedTemplate {
  Subject: string
  HtmlBody: string | null
  TextBody: string | null
  AssociatedServerId: number
}

/** The body of `POST /templates/validate`. */
export interface PostmarkTemplateTest {
  /** At least one of the three texts is required. */
  Subject?: string | null
  HtmlBody?: string | null
  TextBody?: string | null
  /** What they are rendered with. */
  TestRenderModel?: Record<string, unknown> | null
  /** Has no effect: styles stay where they are. */
  InlineCssForHtmlTestRender?: boolean | null
  TemplateType?: 'Standard' | null
  LayoutTemplate?: null
}

/** What is wrong with a template, and what it becomes. */
export interface PostmarkTemplateCheck {
  AllContentIsValid: boolean
  /** Null for one that is absent. */
  Subject: {
    ContentIsValid: boolean
    ValidationErrors: {
      Message: string
      Line: number | null
      CharacterPosition: number | null
    }[]
    /** Null for one that is not valid. */
    RenderedContent: string | null
  } | null
  /** Null for one that is absent. */
  HtmlBody: {
    ContentIsValid: boolean
    ValidationErrors: {
      Message: string
      Line: number | null
      CharacterPosition: number | null
    }[]
    /** Null for one that is not valid. */
    RenderedContent: string | null
  } | null
  /** Null for one that is absent. */
  TextBody: {
    ContentIsValid: boolean
    ValidationErrors: {
      Message: string
      Line: number | null
      CharacterPosition: number | null
    }[]
    /** Null for one that is not valid. */
    RenderedContent: string | null
  } | null
  /** `TestRenderModel`, with what it lacks. */
  SuggestedTemplateModel: Record<string, unknown>
}

/** Which events a webhook gets. */
export interface PostmarkTriggers {
  Open?: {
    Enabled: boolean
    PostFirstOpenOnly?: false | null
  }
  Click?: {
    Enabled: boolean
  }
  Delivery?: {
    Enabled: boolean
  }
  Bounce?: {
    Enabled: boolean
    IncludeContent?: false | null
  }
  SpamComplaint?: {
    Enabled: boolean
    IncludeContent?: false | null
  }
  SubscriptionChange?: {
    Enabled: boolean
  }
}

/** The body of `POST /webhooks`. */
export interface PostmarkNewWebhook {
  /** Where events are posted to. */
  Url: string
  /** `outbound`: a webhook gets the events of all streams. */
  MessageStream?: string | null
  /** User name and password for Basic authentication. */
  HttpAuth?: {
    Username: string
    Password: string
  } | null
  /** Further headers of each request. */
  HttpHeaders?: PostmarkHeader[] | null
  /** At least one has to be enabled. */
  Triggers?: PostmarkTriggers
}

/** The body of `PUT /webhooks/{id}`: what is absent stays. */
export interface PostmarkWebhookChanges {
  Url?: string
  /** User name and password for Basic authentication. */
  HttpAuth?: {
    Username: string
    Password: string
  } | null
  /** Further headers of each request. */
  HttpHeaders?: PostmarkHeader[] | null
  /** At least one has to be enabled. */
  Triggers?: PostmarkTriggers
}

/** A webhook. */
export interface PostmarkWebhook {
  ID: number
  Url: string
  MessageStream: 'outbound'
  HttpAuth: {
    Username: string
    Password: string
  } | null
  HttpHeaders: PostmarkHeader[]
  Triggers: {
    Open: {
      Enabled: boolean
      PostFirstOpenOnly: false
    }
    Click: {
      Enabled: boolean
    }
    Delivery: {
      Enabled: boolean
    }
    Bounce: {
      Enabled: boolean
      IncludeContent: false
    }
    SpamComplaint: {
      Enabled: boolean
      IncludeContent: false
    }
    SubscriptionChange: {
      Enabled: boolean
    }
  }
}
