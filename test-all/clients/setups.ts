import type { Kind } from './kinds.ts'

/** How a set-up connects: `plain` without TLS, `default` as the client does where it is told nothing. */
export type Way = 'default' | 'plain' | 'starttls' | 'smtps'

/** One client with its settings. */
export interface Setup {
  /** Begins with the name of the client. */
  name: string
  program: string
  way: Way
  /** Empty: without a user. */
  auth: '' | 'PLAIN' | 'LOGIN'
  /** Kinds that the client does not send as they are meant, with the reason. Each must still differ. */
  differs: Readonly<Record<string, string>>
  /** The only kinds that it sends; absent: all. */
  only?: readonly string[]
}

const all: readonly [Way, Setup['auth']][] = [
  ['plain', ''],
  ['starttls', 'PLAIN'],
  ['starttls', 'LOGIN'],
  ['smtps', 'PLAIN'],
]
const [plain, startTls, , smtps] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0]]
const three = [plain, startTls, smtps]
const standard: readonly [Way, Setup['auth']][] = [['default', '']]

function setups(
  client: string,
  program: string,
  ways: readonly [Way, Setup['auth']][],
  differs: Setup['differs'] = {},
  more: Partial<Setup> = {},
): Setup[] {
  return ways.map(([way, auth]) => ({
    name: [client, way, auth.toLowerCase()].filter(Boolean).join(' '),
    program,
    way,
    auth,
    differs,
    ...more,
  }))
}

const utf8 = 'it does not send addresses outside of ASCII'
const quotes = 'it does not escape the quotes in the name of a file'

/** All set-ups. Each sends every kind of mail. */
export const table: readonly Setup[] = [
  ...setups('smtplib', 'smtplib', all),
  ...setups('aiosmtplib', 'aiosmtplib', three),
  ...setups('django', 'django', three, { utf8 }),
  ...setups('flask-mail', 'flask-mail', [plain], { utf8 }),
  ...setups('redmail', 'redmail', [plain], {
    attachments: 'it chooses the types by itself',
    inline: 'it does not take a Content-ID',
    calendar: 'it has no invitations',
  }),
  ...setups('nodemailer', 'nodemailer', all),
  ...setups('nodemailer pool', 'nodemailer', [plain]),
  ...setups('nodemailer6', 'nodemailer', [plain]),
  ...setups('emailjs', 'emailjs', [plain]),
  ...setups('email-sender', 'email-sender', three, {
    inline: 'its parts are related, without an alternative: the text is the root',
    utf8: 'it fails at characters that are not bytes',
  }),
  ...setups('symfony', 'symfony', [...three, ...standard], { utf8, attachments: quotes }),
  ...setups('phpmailer', 'phpmailer', [...all, ...standard], {
    utf8,
    calendar: 'it sends an invitation only beside HTML',
  }),
  ...setups('mail-gem', 'mail-gem', [...all, ...standard], { utf8, attachments: quotes }),
  ...setups('go-mail', 'go', all, { attachments: 'it replaces quotes in the name of a file' }),
  ...setups('go-mail dsn', 'go', [plain], { attachments: 'it replaces quotes in the name of a file' }),
  ...setups('gomail.v2', 'go', [plain], { utf8, attachments: quotes }),
  ...setups('jordan-wright', 'go', [plain], { attachments: quotes, calendar: 'it has no invitations' }),
  ...setups('net/smtp', 'go', [plain], {
    alternative: 'text alone',
    inline: 'text alone',
    attachments: 'text alone',
    calendar: 'text alone',
  }),
  ...setups('lettre', 'rust', all),
  ...setups('spring', 'java', all),
  ...setups('keycloak', 'java', [plain], { attachments: 'with allow8bitmime, it encodes text twice' }),
  ...setups('simple-java-mail', 'java', [plain]),
  ...setups('msmtp', 'msmtp', all),
  ...setups('curl', 'curl', all),
  ...setups('swaks', 'swaks', all),
  ...setups('mutt', 'mutt', [plain], {}, { only: ['plain', 'attachments'] }),
  ...setups('s-nail', 's-nail', [plain], {}, { only: ['plain', 'attachments'] }),
]

/** The kinds that a set-up sends. */
export function kindsOf({ only }: Setup, kinds: Readonly<Record<string, Kind>>): [string, Kind][] {
  return Object.entries(kinds).filter(([name]) => only?.includes(name) ?? true)
}
