import type { Command } from './command.ts'
import { config, general } from './common-flags.ts'
import { dataCommands } from './data-commands.ts'
import { serverCommands } from './server-commands.ts'

/** Starts the server. */
export const serveCommand: Command = {
  name: '',
  usage: ['localpost [options]', 'localpost <command> [options]'],
  summary: 'start the server',
  about: [
    'Email for development, on your own machine: an HTTP API, an SMTP port that captures every message, and an inbox page.',
  ],
  options: 'all',
  flags: [config, ...general],
  takesWords: false,
  notes: [
    'Every option can also be set by a variable (LOCALPOST_SMTP_PORT=2525) or in localpost.config.{js,mjs,json} (smtpPort: 2525). Flags override variables, variables override the file. --no-<name> turns a switch off.',
    'Run localpost --help all for every option, and localpost <command> --help for those of a command.',
  ],
  exitCodes: '0 stopped, 1 failed, 2 wrong usage',
}

/** The commands that are called by name, in the order of the alphabet. */
export const namedCommands: readonly Command[] = [...serverCommands, ...dataCommands].sort((a, b) =>
  a.name < b.name ? -1 : 1,
)
