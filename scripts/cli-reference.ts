import { namedCommands } from '../src/cli/commands.ts'
import { optionFlags } from '../src/cli/option-flags.ts'
import { kinds } from '../src/options/kinds.ts'
import { allRows } from '../src/options/options.ts'
import { listRows, type PlacedRow } from '../src/options/read.ts'
import { variableOf } from '../src/options/variables.ts'

/**
 * Writes docs/cli.md from the table of options.
 *
 * @param helps  What `localpost --help` prints, and each command's `--help all` by its name.
 */
export function renderCliReference(helps: Readonly<Record<string, string>>): string {
  return `# The command line

<!-- Written by \`npm run docs\` from src/options/rows and src/cli/commands.json. -->

\`npx localpost\` starts everything: the page and the API on port 8025, SMTP on port 1025, both on 127.0.0.1, with
its data in \`./.localpost\`.

\`\`\`text
${helps['']?.trim() ?? ''}
\`\`\`

## Options

Options can be set by flags, by variables, in the configuration file, and in the library. A flag overrides a variable, a
variable overrides the file, the file overrides the default. A list comes from the first of these that sets it; groups such as \`dns\` are merged member by member. An empty variable counts as not set.

| flag | variable | in the file | what it does | value | default |
|---|---|---|---|---|---|
${optionFlags.map(flagRow).join('\n')}

\`--config\` (\`LOCALPOST_CONFIG\`) names the configuration file.

The commands that talk to a running server read \`LOCALPOST_URL\` and \`LOCALPOST_API_KEY\`, and so do the helpers for tests. The
server reads \`LOCALPOST_API_KEY\` too.
A variable that begins with \`LOCALPOST_\` and looks misspelt causes a warning.

With Node 22.1 and later, the command keeps its compiled code in the folder \`dist/.compiled\` of the package, so that it starts
faster, if \`dist\` belongs to the user who runs it. \`NODE_DISABLE_COMPILE_CACHE=1\` turns that off; the folder may be deleted.

- A switch is on as \`--strict\`, off as \`--no-strict\` or \`--strict=false\`.
- Repeatable flags take one value each time; their variables separate values by commas.
- \`--api-key-file\` and \`--relay-password-file\` keep secrets out of the process list and the shell history, where other users and
  backups can find them, and out of the output. A file may have 64 KiB; white space at the ends of its lines is ignored. If
  other users can read or change the file, a warning says so. A pipe works too: \`--api-key-file <(pass show localpost)\`. API
  keys come from the first source that gives keys or a file of keys; if it gives both, both count.
- Port 0 takes a free port; the banner shows which.

## The configuration file

Localpost reads the first of \`localpost.config.js\`, \`.mjs\` and \`.json\` in the working directory, or the file that
\`--config\` names. A script exports an object as its default. Relative paths are resolved against the folder of the file.

\`\`\`js
export default {
  port: 8025,
  apiKeys: ['dev-key'],
  attachments: { root: './files' },
}
\`\`\`

In the file, switches are true or false, lists are arrays, and durations are milliseconds. \`attachments.root\` is the member
\`root\` of the object \`attachments\`.

These options have no flag. They and those above are the options of \`createLocalpost\`, except ${commandOnly}.

| in the file | what it does | value | default |
|---|---|---|---|
${listRows(allRows)
  .filter(({ row }) => row.flag === undefined && row.kind !== 'group')
  .map(fileRow)
  .join('\n')}

An unknown name or a wrong value is refused; the error names the file and the option.

## Commands

${namedCommands.map(({ name }) => `\`\`\`text\n${helps[name]?.trim() ?? ''}\n\`\`\``).join('\n\n')}

## Signals and exit codes

The first SIGINT (Ctrl-C) or SIGTERM stops the server cleanly: acknowledged mail is stored. A second one ends the process
at once.

| exit code | meaning |
|---|---|
| 0 | stopped by a signal, or printed \`--help\` or \`--version\` |
| 1 | failed: a port is taken, the data folder is in use or cannot be read, an unexpected error |
| 2 | wrong usage: an unknown flag, or a wrong value of a flag, a variable or the file |
| 130, 143 | ended at once by a second SIGINT or SIGTERM |

Errors and warnings go to stderr, everything else to stdout; with \`--log-format json\` all lines of the server go to stdout, as
[the guide for operators](guides/operators.md#logs-in-json) describes. Colours appear in terminals only, and not with \`NO_COLOR\`.
With \`DEBUG=1\` an unexpected error shows its stack.
`
}

const commandOnly = Object.entries(allRows)
  .filter(([, row]) => row.command)
  .map(([name]) => `\`${name}\``)
  .join(', ')
  .replace(/, (?=[^,]+$)/, ' and ')

function flagRow({ name, value, option, help, takes, default: shown }: (typeof optionFlags)[number]): string {
  const hint = value === undefined ? '' : ` <${value}>`
  return tableRow([
    `\`--${name}${hint}\``,
    `\`${variableOf(name)}\``,
    `\`${option.path.join('.')}\``,
    help,
    takes,
    shown === undefined ? '' : `\`${shown}\``,
  ])
}

function fileRow({ path, row }: PlacedRow): string {
  const value: unknown = row.default
  const isShown = ['string', 'number', 'boolean'].includes(typeof value) && String(value).length < 50
  const shown = Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : String(value)
  return tableRow([
    `\`${path.join('.')}\``,
    row.help,
    kinds[row.kind].takes(row),
    isShown || shown.startsWith('[') ? `\`${shown}\`` : '',
  ])
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
