/** A kind of bounce, as Postmark tells them apart. */
export interface BounceKind {
  readonly Type: string
  readonly TypeCode: number
  readonly Name: string
  readonly Description: string
  /** Whether Postmark sends nothing more to the address. */
  readonly deactivates: boolean
}

/** The kinds that events of Localpost are. @see https://postmarkapp.com/developer/api/bounce-api#bounce-types */
export const bounceKinds = {
  hard: {
    Type: 'HardBounce',
    TypeCode: 1,
    Name: 'Hard bounce',
    Description: 'The server refused the message for good, such as for an unknown user.',
    deactivates: true,
  },
  transient: {
    Type: 'Transient',
    TypeCode: 2,
    Name: 'Message delayed',
    Description: 'The server could not take the message now. It is tried again.',
    deactivates: false,
  },
  unknown: {
    Type: 'Unknown',
    TypeCode: 2048,
    Name: 'Unknown bounce type',
    Description: 'It is not known why the message did not arrive.',
    deactivates: false,
  },
  soft: {
    Type: 'SoftBounce',
    TypeCode: 4096,
    Name: 'Soft bounce',
    Description: 'The server could not take the message, such as for a full mailbox.',
    deactivates: false,
  },
  complaint: {
    Type: 'SpamComplaint',
    TypeCode: 100001,
    Name: 'Spam complaint',
    Description: 'The recipient marked the message as spam.',
    deactivates: true,
  },
  inactive: {
    Type: 'ManuallyDeactivated',
    TypeCode: 100002,
    Name: 'Manually deactivated',
    Description: 'The address is on the suppression list.',
    deactivates: true,
  },
  blocked: {
    Type: 'Blocked',
    TypeCode: 100006,
    Name: 'ISP block',
    Description: 'The server refused the message for its content.',
    deactivates: false,
  },
  failed: {
    Type: 'SMTPApiError',
    TypeCode: 100007,
    Name: 'SMTP API error',
    Description: 'The message could not be sent.',
    deactivates: false,
  },
} as const satisfies Record<string, BounceKind>
