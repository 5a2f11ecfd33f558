// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** A mailbox. */
export interface Address {
  /** `""` if there is none. */
  Name: string
  Address: string
}

/** An attachment of a message. */
export interface Attachment {
  /** Its place in the multiparts: `2`, `1.3`. */
  PartID: string
  FileName: string
  ContentType: string
  /** `""` if there is none. */
  ContentID: string
  Size: number
  Checksums: {
    MD5: string
    SHA1: string
    SHA256: string
  }
}

/** A message in a list. */
export interface Summary {
  ID: string
  /** Without angle brackets. */
  MessageID: string
  From: Address
  To: Address[]
  Cc: Address[]
  /** Recipients of the envelope that no To or Cc field names. */
  Bcc: Address[]
  ReplyTo: Address[]
  Subject: string
  /** Always `""`: it is not kept. */
  Username: string
  Tags: string[]
  /** In bytes. */
  Size: number
  Read: boolean
  /** Arrival: ISO 8601 in UTC. */
  Created: string
  /** Those shown within the HTML included. */
  Attachments: number
  Snippet: string
}

/** A page of a list of messages. */
export interface Summaries {
  /** All messages. */
  total: number
  /** All unread messages. */
  unread: number
  /** Those on this page. */
  count: number
  /** All matches. */
  messages_count: number
  /** All unread matches. */
  messages_unread: number
  start: number
  /** The tags of all messages, in lower case. */
  tags: string[]
  messages: Summary[]
}

/** A message in detail. */
export interface Message {
  ID: string
  /** Without angle brackets. */
  MessageID: string
  From: Address
  To: Address[]
  Cc: Address[]
  /** Recipients of the envelope that no To or Cc field names. */
  Bcc: Address[]
  ReplyTo: Address[]
  Subject: string
  /** Always `""`: it is not kept. */
  Username: string
  Tags: string[]
  /** In bytes. */
  Size: number
  ReturnPath: string
  ListUnsubscribe: {
    Header: string
    Links: string[]
    Errors: string
    HeaderPost: string
  }
  /** Of the message, else of its arrival: ISO 8601 in UTC. */
  Date: string
  /** Made from the beginning of the HTML if there is no plain text. */
  Text: string
  HTML: string
  Inline: Attachment[]
  Attachments: Attachment[]
}

/** How a mail client supports a feature. */
export interface HtmlResult {
  Name: string
  Platform: string
  Family: string
  /** Always `""`: the newest one. */
  Version: string
  Support: 'yes' | 'no' | 'partial'
  /** Always `""`. */
  NoteNumber: string
}

/** The share of the clients, in percent. */
export interface HtmlScore {
  Found: number
  Supported: number
  Partial: number
  Unsupported: number
}

/** A feature that some mail clients do not support, or only partly. */
export interface HtmlWarning {
  Slug: string
  Title: string
  /** Always `""`; the page of `URL` has one. */
  Description: string
  URL: string
  Category: 'css' | 'html'
  Tags: string[]
  Keywords: string
  Results: HtmlResult[]
  NotesByNumber: Record<string, string>
  Score: HtmlScore
}

/** How mail clients support the HTML of a message. */
export interface HtmlCheck {
  Warnings: HtmlWarning[]
  Platforms: Record<string, string[]>
  Total: {
    Tests: number
    Nodes: number
    Supported: number
    Partial: number
    Unsupported: number
  }
}

/** How the links of a message answer. */
export interface LinkCheck {
  Errors: number
  Links: {
    URL: string
    /** 0 without an answer. */
    StatusCode: number
    /** Its meaning, or why there is no answer. */
    Status: string
  }[]
}

/** The report of a spam filter. */
export interface SpamCheck {
  IsSpam: boolean
  /** `""` if the filter answered. */
  Error: string
  Score: number
  Rules: {
    Score: number
    Name: string
    Description: string
  }[]
}

/** The program, and how much is stored. */
export interface Info {
  Version: string
  /** Always `disabled`: no other host is asked. */
  LatestVersion: string
  /** `memory`, `folder` or `postgresql`. */
  Database: string
  /** Always 0: it is not counted. */
  DatabaseSize: number
  Messages: number
  Unread: number
  Tags: Record<string, number>
  RuntimeStats: {
    /** In seconds. */
    Uptime: number
    /** In bytes. */
    Memory: number
    /** Always 0: they are not counted. */
    MessagesDeleted: number
    /** The stored messages that came over SMTP. */
    SMTPAccepted: number
    /** Always 0: it is not counted. */
    SMTPAcceptedSize: number
    /** Always 0: they are not counted. */
    SMTPRejected: number
    /** Always 0: none is ignored. */
    SMTPIgnored: number
  }
}

/** What is switched on. */
export interface Configuration {
  Label: string
  MessageRelay: {
    Enabled: boolean
    SMTPServer: string
    ReturnPath: string
    AllowedRecipients: string
    BlockedRecipients: string
    OverrideFrom: string
    PreserveMessageIDs: boolean
    RecipientAllowlist: string
  }
  SpamAssassin: boolean
  ChaosEnabled: boolean
  DuplicatesIgnored: boolean
  HideDeleteAllButton: boolean
}

/** An SMTP error, and how often it is answered. */
export interface Trigger {
  ErrorCode: number
  /** In percent. */
  Probability: number
}

/** The triggers of SMTP errors. */
export interface Chaos {
  Sender: Trigger
  Recipient: Trigger
  Authentication: Trigger
}

/** The answer to a send. */
export interface Sent {
  ID: string
}
