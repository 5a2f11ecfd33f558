import definitions from './commands.json' with { type: 'json' }

/** A command of `localpost`, for the help and the parser. */
export interface Command {
  /** Empty for the command without a name, which starts the server. */
  name: string
  usage: readonly string[]
  /** One line, for the list of commands. */
  summary: string
  /** What it does, in paragraphs. */
  about: readonly string[]
  /** The options that the command accepts, by the names of their flags, with their help texts for this command. */
  options: Readonly<Record<string, string | undefined>> | 'all'
  /** Names of flags that only `--help all` lists. Default: none, and those of rare options for the server command. */
  rare?: readonly string[] | undefined
  /** Flags that set no option. */
  flags: readonly Flag[]
  /** Whether the command accepts arguments that are not flags. */
  takesWords: boolean
  /** Notes below the flags in the help. */
  notes: readonly string[]
  exitCodes: string
}

/** A flag of the command line. */
export interface Flag {
  /** As typed, without dashes: `smtp-port`. */
  name: string
  /** The one-letter form: `h`. */
  short?: string
  /** The placeholder of the value in help; a switch has none. */
  value?: string | undefined
  help: string
  /** The default value, as shown in help. */
  default?: string | undefined
  /** The heading in the help of the server command. */
  section?: string | undefined
  /** Whether only `--help all` of the server command lists it. */
  isRare?: boolean
}

const configFlag: Flag = {
  name: 'config',
  value: 'file',
  help: 'Configuration file; by default localpost.config.{js,mjs,json} in this folder',
}
const urlFlag: Flag = {
  name: 'url',
  value: 'url',
  help: 'Where Localpost runs; also LOCALPOST_URL',
  default: 'http://127.0.0.1:8025',
}
const keyOptions = {
  'api-key': 'API key, if the server requires one',
  'api-key-file': 'File with the API key; keeps it out of the process list',
}
const generalFlags: readonly Flag[] = [
  { name: 'help', short: 'h', help: 'Print this help; --help all prints every option' },
  { name: 'version', short: 'v', help: 'Print the version' },
]

/** Starts the server. */
export const serveCommand: Command = {
  name: '',
  usage: ['localpost [options]', 'localpost <command> [options]'],
  summary: 'start the server',
  about: [
    'Email for development, on your own machine: an HTTP API, an SMTP port that captures every message, and an inbox page.',
  ],
  options: 'all',
  flags: [configFlag, ...generalFlags],
  takesWords: false,
  notes: [
    'Every option can also be set by a variable (LOCALPOST_SMTP_PORT=2525) or in localpost.config.{js,mjs,json} (smtpPort: 2525). Flags override variables, variables override the file. --no-<name> turns a switch off.',
    'Run localpost --help all for every option, and localpost <command> --help for those of a command.',
  ],
  exitCodes: '0 stopped, 1 failed, 2 wrong usage',
}

/**
 * The commands that are called by name, in the order of the alphabet. `main.ts` says which function runs each. Those that
 * call a running server have a flag for its URL and options for its key.
 */
export const namedCommands: readonly Command[] = definitions.map(
  ({ callsServer, readsConfig, ...command }) => ({
    ...command,
    options: { ...(callsServer && keyOptions), ...command.options },
    flags: [
      ...command.flags,
      ...(callsServer ? [urlFlag] : []),
      ...(readsConfig ? [configFlag] : []),
      ...generalFlags,
    ],
  }),
)
