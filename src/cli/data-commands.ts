import type { Command } from './command.ts'
import { config, general } from './common-flags.ts'

/** The commands for data folders, databases and files of users, by their names. */
export const dataCommands: readonly Command[] = [
  {
    name: 'copy',
    usage: ['localpost copy --from <folder or URL> --to <folder or URL>'],
    summary: 'copy all data between a data folder and a database',
    about: [
      'Copies all data of all accounts from a data folder or a PostgreSQL database into a new folder or an empty schema. At the end it reads both and compares every record and every byte.',
      'Stop Localpost first: neither the source nor the target may be in use. Until the comparison has passed, the target is marked as incomplete: a start and doctor refuse it. To resume an interrupted copy, run the same command again. The source is not changed.',
    ],
    options: {},
    flags: [
      { name: 'from', value: 'folder or URL', help: 'Source: a data folder or a database' },
      {
        name: 'to',
        value: 'folder or URL',
        help: 'Target: a new folder, or a database with an empty schema',
      },
      ...general,
    ],
    takesWords: false,
    notes: ['Example: localpost copy --from .localpost --to postgres://localpost@127.0.0.1/mail'],
    exitCodes: '0 both are equal, 1 interrupted, different, or failed, 2 wrong usage',
  },
  {
    name: 'doctor',
    usage: [
      'localpost doctor [--dir <folder>] [--json]',
      'localpost doctor --store <URL> [--json]',
      'localpost doctor --accept-edits [--dir <folder>]',
      'localpost doctor --salvage --to <new folder> [--dir <folder>]',
    ],
    summary: 'check a data folder or a database, or save what is intact in a folder',
    about: [
      'Checks a data folder: lock, records, log, messages and disk. It only reads, and works while an instance is running.',
      'With --salvage it writes everything intact to a new folder, which is marked as incomplete until all is on the disk: a start and doctor refuse it. To finish an interrupted salvage, run the same command again.',
      'With --store it checks a PostgreSQL database: tables, records, counts, messages, changes and instances, in one consistent snapshot.',
    ],
    options: { dir: 'Data folder to check', store: 'PostgreSQL database to check' },
    flags: [
      { name: 'json', help: 'Print the result as JSON' },
      {
        name: 'accept-edits',
        help: 'Accept files of records that you edited: list each edited record and write new checksums',
      },
      {
        name: 'salvage',
        help: 'Write everything intact to a new folder, and list what is lost',
      },
      { name: 'to', value: 'folder', help: 'The new folder, for --salvage' },
      config,
      ...general,
    ],
    takesWords: false,
    notes: [],
    exitCodes: '0 healthy, 1 problems found, 2 wrong usage',
  },
  {
    name: 'user',
    usage: ['localpost user add <name>', 'localpost user remove <name>', 'localpost user list'],
    summary: 'manage the users who may sign in to the page',
    about: [
      'Reads and writes the file of users that the server is started with (--users). A running server reads it again when it changes; the sessions of a user end when the password is changed or the user is removed.',
      'add asks for a password and adds the user, or changes the password of an existing one. Only a hash is stored.',
    ],
    options: { users: 'File of users; add creates it if it does not exist' },
    flags: [
      {
        name: 'role',
        value: 'admin|member',
        help: 'Role: an admin may do everything, a member may not manage API keys and accounts, or empty the instance (default of a new user: member)',
      },
      {
        name: 'accounts',
        value: 'names',
        help: 'Accounts that a member may see, separated by commas (default of a new user: default)',
      },
      {
        name: 'password-stdin',
        help: 'Read the password from standard input, instead of asking for it',
      },
      ...general,
    ],
    takesWords: true,
    notes: ['Example: localpost user add ada --users users.txt --role admin'],
    exitCodes: '0 done, 1 failed, 2 wrong usage',
  },
]
