import type { Command } from './command.ts'
import { config, general, keyFlags, urlFlag } from './common-flags.ts'

/** The commands for a running server, by their names. */
export const serverCommands: readonly Command[] = [
  {
    name: 'account',
    usage: [
      'localpost account create [name]',
      'localpost account list',
      'localpost account password <name>',
      'localpost account remove <name>',
    ],
    summary: 'manage the accounts of a running server',
    about: [
      'Creates, lists and removes accounts of a running Localpost. Each account has its own mail, domains, templates, webhooks, rules and keys.',
      'create prints an API key and SMTP settings, which are shown only once; without a name, it generates one. password prints a new SMTP password, and the old one stops working. remove deletes the account and everything in it.',
    ],
    options: {
      ...keyFlags,
      'max-emails': 'Maximum number of emails that the account keeps; for create',
      'max-age': 'Delete emails of the account that are older than this, such as 7d; for create',
    },
    flags: [
      {
        name: 'ttl',
        value: 'duration',
        help: 'Remove the account with everything in it this long after its last use, such as 1h; for create',
        default: 'never',
      },
      { name: 'json', help: 'Print the answer of the server as JSON' },
      urlFlag,
      ...general,
    ],
    takesWords: true,
    notes: ['Example: localpost account create ci-42 --ttl 1h --json'],
    exitCodes: '0 done, 1 failed, 2 wrong usage',
  },
  {
    name: 'ca',
    usage: ['localpost ca [--to <file>]'],
    summary: 'print the path of the CA file to trust for SMTP with TLS',
    about: [
      'Prints the path of a file with the authority (CA) that signed the certificate of a running Localpost, if it was started with --smtp-tls or --smtps-port and no certificate of your own. Mail clients that trust it accept that certificate.',
      'This is the file in the data folder if the server is on this machine and has one. Otherwise the CA is written to a file. It is the same after a restart only with a data folder.',
    ],
    options: keyFlags,
    flags: [
      { name: 'to', value: 'file', help: 'Write the CA to this file (default: localpost-ca.pem, if needed)' },
      urlFlag,
      ...general,
    ],
    takesWords: false,
    notes: ['Example: NODE_EXTRA_CA_CERTS=$(localpost ca) node app.js'],
    exitCodes: '0 printed, 1 no such certificate, or failed, 2 wrong usage',
  },
  {
    name: 'check',
    usage: ['localpost check <file.eml>...', 'localpost check -', 'localpost check <query>'],
    summary: 'check messages for common problems',
    about: [
      'Checks message files, the message on standard input, or the mail of a running Localpost that matches a query. Nothing is fetched without --live. docs/checks.md lists the checks.',
      'Files are checked without a server, so their DKIM signatures are not verified. For the mail of a running Localpost, the options of that server name the spam filters and DNS records.',
    ],
    options: {
      ...keyFlags,
      'check-except': 'Check to leave out; repeatable',
      'check-client': 'Mail client that matters, such as gmail/ios; repeatable',
      zone: 'Zone file with the DNS records of your domains, to check SPF and DMARC with; for files',
      'sending-host':
        'IP address of a host that will send the mail, to check SPF with; repeatable; for files',
      spamd: 'SpamAssassin (spamd) that scores the mail, such as 127.0.0.1:783; for files',
      rspamd: 'URL of rspamd that scores the mail, such as http://127.0.0.1:11333; for files',
      'allow-outgoing': 'Range or host that --live may connect to; repeatable; for files',
    },
    rare: ['check-except', 'check-client', 'zone', 'sending-host', 'spamd', 'rspamd', 'allow-outgoing'],
    flags: [
      { name: 'live', help: 'Request each link and image once, and fetch the BIMI logo' },
      {
        name: 'fail-on',
        value: 'error|warning',
        help: 'Lowest severity of a finding that makes the command fail',
        default: 'error',
      },
      {
        name: 'format',
        value: 'text|json|junit|sarif',
        help: 'How to print the findings',
        default: 'text',
      },
      urlFlag,
      config,
      ...general,
    ],
    takesWords: true,
    notes: ['Example: localpost check --fail-on warning --format junit mails/*.eml'],
    exitCodes:
      '0 passed, 1 a finding as severe as --fail-on or more, no matching mail, or an error, 2 wrong usage',
  },
  {
    name: 'export',
    usage: ['localpost export [query] --to <file.zip or folder>'],
    summary: 'save messages of a running server as .eml files',
    about: [
      'Saves messages of a running Localpost as .eml files: all of them, or those that match a query in the language of the search field.',
      'An archive holds up to 65,000 messages, a folder any number. Existing files are replaced. Emails without a message yet are left out.',
      'Damaged messages are left out too. An archive lists them in errors.txt; for a folder they are named at the end.',
    ],
    options: keyFlags,
    flags: [
      {
        name: 'to',
        value: 'file.zip or folder',
        help: 'Archive or folder to write',
      },
      urlFlag,
      ...general,
    ],
    takesWords: true,
    notes: [
      'Example: localpost export tag:invoice is:unread --to mails.zip',
      'Put -- before a query that begins with a dash: localpost export --to mails -- -is:read',
    ],
    exitCodes: '0 written, 1 no match, missing messages, or failed, 2 wrong usage',
  },
  {
    name: 'import',
    usage: ['localpost import <file or folder>...'],
    summary: 'add .eml files to a running server',
    about: [
      'Adds messages to a running Localpost: .eml files, or all .eml files of a folder. Each is stored unchanged, as if it had just been submitted; nothing is delivered.',
      'Files that cannot be read or are refused are reported; the others are imported.',
      'Each message is stored whole or not at all. If an import was interrupted or killed, the messages before that are in the inbox. The same command with --resume imports the others: it leaves out each file whose bytes the inbox already holds.',
    ],
    options: keyFlags,
    flags: [
      { name: 'resume', help: 'Leave out files whose bytes are already in the inbox' },
      urlFlag,
      ...general,
    ],
    takesWords: true,
    notes: [],
    exitCodes: '0 all imported, 1 some not imported or interrupted, 2 wrong usage',
  },
  {
    name: 'mcp',
    usage: ['localpost mcp [--url <url>]'],
    summary: 'offer the inbox to agents, over standard input and output',
    about: [
      'Speaks the Model Context Protocol over standard input and output, for agents that start their tools as programs. The tools are those of a running Localpost at /mcp.',
      'Without --url and LOCALPOST_URL, it uses the Localpost that runs at the port of the variables and the configuration file (default: 8025). If none does, it starts one of its own there, in memory, until the agent ends it.',
    ],
    options: keyFlags,
    flags: [urlFlag, config, ...general],
    takesWords: false,
    notes: ['docs/guides/agents.md has the settings of several agents.'],
    exitCodes: '0 ended by the agent, 1 failed, 2 wrong usage',
  },
  {
    name: 'wait',
    usage: [
      'localpost wait --to <address> [--code | --json]',
      'localpost wait --to <address> --link [part]',
      'localpost wait --query <query>',
    ],
    summary: 'wait for a mail, and print its code or a link of it',
    about: [
      'Waits for a mail of a running Localpost that comes after the command began, and prints its first one-time code, its first link, or the whole mail as JSON; otherwise its id. Nothing else is written to standard output.',
      'A mail without a code, or without a link that contains the part, does not end the wait. If the time is over, the mails that came closest are written to standard error.',
    ],
    options: keyFlags,
    flags: [
      { name: 'to', value: 'address', help: 'Recipient: an address, or a part of one' },
      { name: 'query', value: 'query', help: 'What else the mail must match, as the search field has it' },
      { name: 'code', help: 'Print the first one-time code' },
      {
        name: 'link',
        help: 'Print the first link, or the first one whose address or text contains the part',
      },
      { name: 'json', help: 'Print the mail as JSON' },
      { name: 'timeout', value: 'duration', help: 'How long to wait, up to 4m', default: '30s' },
      {
        name: 'after',
        value: 'time or id',
        help: 'Also accept mail that came after this time (2h ago, 2026-01-31T14:30) or after the mail with this id; the newest one counts',
        default: 'the start of the command',
      },
      urlFlag,
      ...general,
    ],
    takesWords: true,
    notes: [
      'Example: code=$(localpost wait --to ada@example.com --code)',
      'Start it in the background before a sign-up that sends at once, or pass --after 1m.',
    ],
    exitCodes: '0 printed, 1 timed out or failed, 2 wrong usage',
  },
]
