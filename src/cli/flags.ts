import type { LocalpostOptions } from '../options/options.ts'

/** What the command can be told: the library's options, and those that only a command needs. */
export interface CliOptions extends LocalpostOptions {
  /** HTTP port of the page and the API; 0 takes a free one. Default: 8025. */
  port?: number
  /** Keeps everything in memory instead of `dir`. Default: false. */
  memory?: boolean
  /** DNS servers for the verification of domains, as `dns.servers`. Default: those of the machine. */
  dnsServers?: string[]
  /** A file with API keys, one a line, as `apiKeys`. Default: none. */
  apiKeyFile?: string
  /** A file with the password of the user whom the URL of `relay` names. Default: none. */
  relayPasswordFile?: string
  /** Prints only warnings and errors. Default: false. */
  quiet?: boolean
}

/** One flag: also a variable, and a name in the configuration file. */
export interface Flag {
  /** As typed, without the dashes: `smtp-port`. */
  name: string
  /** Its name in the configuration file. */
  option: keyof CliOptions
  /** `list` may be repeated; a variable separates its values by commas. */
  kind: 'port' | 'text' | 'list' | 'switch' | 'count' | 'duration'
  /** How help shows the value; a switch has none. */
  hint?: string
  /** What a right value is, as a message says it. */
  takes: string
  description: string
  /** As help shows it. */
  default?: string
}

const port = { kind: 'port', hint: 'port', takes: 'a port from 0 to 65535 (0: any free one)' } as const
const toggle = { kind: 'switch', takes: '1, true, 0 or false' } as const

/** Every flag that sets an option, in the order of the help. */
export const flags: readonly Flag[] = [
  {
    name: 'port',
    option: 'port',
    ...port,
    default: '8025',
    description: 'HTTP port of the page and the API',
  },
  { name: 'smtp-port', option: 'smtpPort', ...port, default: '1025', description: 'SMTP port' },
  {
    name: 'host',
    option: 'host',
    kind: 'text',
    hint: 'address',
    takes: 'an address such as 127.0.0.1',
    default: '127.0.0.1',
    description: 'Address that both bind',
  },
  {
    name: 'dir',
    option: 'dir',
    kind: 'text',
    hint: 'folder',
    takes: 'the path of a folder',
    default: './.localpost',
    description: 'Data folder, made where it is missing',
  },
  { name: 'memory', option: 'memory', ...toggle, description: 'Keep everything in memory: no data folder' },
  {
    name: 'durability',
    option: 'durability',
    kind: 'text',
    hint: 'process|disk',
    takes: 'process or disk',
    default: 'process',
    description: 'What acknowledged mail survives: a killed process, or a power cut too',
  },
  {
    name: 'max-emails',
    option: 'maxEmails',
    kind: 'count',
    hint: 'n',
    takes: 'a whole number above 0',
    description: 'Keep this many emails; the oldest go',
  },
  {
    name: 'max-age',
    option: 'maxAgeMs',
    kind: 'duration',
    hint: '7d|12h|90m',
    takes: 'a time above 0 such as 7d, 12h, 90m or 30s',
    description: 'Keep emails for this long',
  },
  {
    name: 'api-key',
    option: 'apiKeys',
    kind: 'list',
    hint: 'key',
    takes: 'a key of printable ASCII without spaces',
    description: 'An API key; repeatable. Without one, a key is made at the first start',
  },
  {
    name: 'api-key-file',
    option: 'apiKeyFile',
    kind: 'text',
    hint: 'file',
    takes: 'the path of a file with keys, one a line',
    description: 'A file with API keys, one a line: keys on a command line show in the list of processes',
  },
  { name: 'accept-any-key', option: 'acceptAnyKey', ...toggle, description: 'Accept any non-empty API key' },
  {
    name: 'require-key',
    option: 'requireKey',
    ...toggle,
    description: 'Ask for an API key on this machine too',
  },
  { name: 'strict', option: 'strict', ...toggle, description: 'Refuse what is otherwise only warned of' },
  {
    name: 'smtp-auth',
    option: 'smtpAuth',
    kind: 'text',
    hint: 'optional|required',
    takes: 'optional or required',
    default: 'optional',
    description: 'Whether SMTP asks for a login; its password is an API key',
  },
  {
    name: 'reject-submissions',
    option: 'rejectSubmissions',
    ...toggle,
    description: 'Refuse over SMTP whom the rules refuse, instead of taking the mail and bouncing it',
  },
  {
    name: 'smtp-tls',
    option: 'smtpTls',
    ...toggle,
    description: 'Offer STARTTLS with a self-signed certificate',
  },
  {
    name: 'allow-host',
    option: 'allowHosts',
    kind: 'list',
    hint: 'name',
    takes: 'a host name',
    description: 'A host name to serve beside localhost; repeatable',
  },
  {
    name: 'public-url',
    option: 'publicUrl',
    kind: 'text',
    hint: 'url',
    takes: 'an http(s) URL',
    description: 'Base of the tracking links, for other devices',
  },
  {
    name: 'dns',
    option: 'dnsServers',
    kind: 'list',
    hint: 'address',
    takes: 'an address such as 127.0.0.1:5300',
    description: 'A DNS server to verify domains with; repeatable',
  },
  {
    name: 'verify-interval',
    option: 'verifyIntervalMs',
    kind: 'duration',
    hint: '5m|1h',
    takes: 'a time above 0 such as 30s, 5m or 1h',
    description: 'Look domains up in DNS again and again, also those declared by hand',
  },
  {
    name: 'relay',
    option: 'relay',
    kind: 'text',
    hint: 'url',
    takes: 'a URL such as smtp://user:password@host:587',
    description: 'A real mail server, to release captured mail through',
  },
  {
    name: 'relay-password-file',
    option: 'relayPasswordFile',
    kind: 'text',
    hint: 'file',
    takes: 'the path of a file with a password',
    description: 'A file with the password of the user in --relay smtp://user@host:587',
  },
  {
    name: 'relay-insecure-auth',
    option: 'relayInsecureAuth',
    ...toggle,
    description: 'Send the relay’s user and password without TLS too',
  },
  {
    name: 'allow-outgoing',
    option: 'allowOutgoing',
    kind: 'list',
    hint: 'range|host[:port]',
    takes: 'a range, an address or a host name such as 10.0.0.0/8, 10.1.2.3:8080 or hooks.internal',
    description:
      'Where attachments, webhooks and the relay may lead in private networks when others reach this; repeatable',
  },
  {
    name: 'relay-all',
    option: 'relayAll',
    ...toggle,
    description: 'Send everything sent over the API through the relay too',
  },
  { name: 'quiet', option: 'quiet', ...toggle, description: 'Print only warnings and errors' },
]

/** The variable of a flag: `LOCALPOST_SMTP_PORT` of `smtp-port`. */
export function variableOf(name: string): string {
  return `LOCALPOST_${name.toUpperCase().replaceAll('-', '_')}`
}
