import { stripVTControlCharacters } from 'node:util'
import { defineCommand, renderUsage } from 'citty'
import { argsDef } from './arguments.ts'
import { version } from '../core/version.ts'

/** The text of --help. */
export async function renderHelp(): Promise<string> {
  const meta = {
    name: 'localpost',
    version,
    description: 'Email for development, on this machine',
  }
  const usage = await renderUsage(defineCommand({ meta, args: argsDef }))
  // citty fills its columns with spaces.
  const text = `${usage.replace(/ +$/gm, '')}\n${otherSources}`
  const isPlain = !process.stdout.isTTY || process.env['NO_COLOR']
  return isPlain ? stripVTControlCharacters(text) : text
}

/** Where an option may stand beside the command line. */
const otherSources = `Each is also a variable (LOCALPOST_SMTP_PORT=2525) and an option of localpost.config.{js,mjs,json}
(smtpPort: 2525). A flag wins over a variable, a variable over the file. --no-<switch> turns one off.
localpost doctor [--dir <folder>] [--json] checks a data folder; --salvage --to <folder> saves what is whole.
localpost export [query] --to <file.zip or folder> writes the messages of a running Localpost as .eml files.
localpost import <file or folder>... hands .eml files to a running Localpost.
Exit codes: 0 stopped, 1 failed, 2 wrong usage.`
