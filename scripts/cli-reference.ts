import { flags, variableOf } from '../src/cli/flags.ts'

/**
 * Writes docs/cli.md from the table of flags.
 *
 * @param help  What `localpost --help` prints.
 */
export function renderCliReference(help: string): string {
  return `# The command line

<!-- Written by \`npm run docs\` from src/cli/flags.ts. -->

\`npx localpost\` starts everything: the page and the API on port 8025, SMTP on port 1025, both on 127.0.0.1, with
its data in \`./.localpost\`.

\`\`\`text
${help.trim()}
\`\`\`

## Options

Every option can be a flag, a variable or a name in the configuration file. A flag wins over a variable, a variable
over the file, the file over the default; a list is taken whole from the first that gives one. An empty variable
counts as not set.

| flag | variable | in the file | takes | default |
|---|---|---|---|---|
${flags.map(rowOf).join('\n')}

\`--config\` (\`LOCALPOST_CONFIG\`) names the configuration file.

- A switch is on as \`--strict\`, off as \`--no-strict\` or \`--strict=false\`.
- \`--api-key\` and \`--allow-host\` may be repeated; their variables separate values by commas.
- \`--api-key-file\` and \`--relay-password-file\` keep secrets out of the list of processes and of the history of the
  shell, where other users and backups find them. A file has at most 64 KiB; white space at the ends of its lines does
  not count. Files that other users can read or change are warned of. A pipe works too:
  \`--api-key-file <(pass show localpost)\`. Of keys and files of keys, those of the first source that names either
  count.
- Port 0 takes a free port; the banner says which.

## The configuration file

\`localpost.config.js\`, \`.mjs\` or \`.json\` in the working directory, the first of them that exists, or the file that
\`--config\` names. A script exports an object as its default; both may also name the library's other options, such as
\`pageSize\`, \`escapeHtml\` or \`attachments\`. Paths in it are relative to the file.

\`\`\`js
export default {
  port: 8025,
  apiKeys: ['dev-key'],
  attachments: { root: './files' },
}
\`\`\`

An unknown name or a wrong value is refused, with the name of the file.

## Signals and exit codes

The first SIGINT (Ctrl-C) or SIGTERM closes: what is acknowledged is finished and kept. A second one ends the process
at once.

| exit code | means |
|---|---|
| 0 | stopped by a signal, or \`--help\` or \`--version\` was asked for |
| 1 | failed: a port is taken, the data folder is in use or cannot be read, an unexpected error |
| 2 | wrong usage: an unknown flag, or a wrong value of a flag, a variable or the file |
| 130, 143 | ended at once by a second SIGINT or SIGTERM |

Errors and warnings go to stderr, all else to stdout. Colours are used in a terminal only, and not with \`NO_COLOR\`.
\`DEBUG=1\` adds the stack to an unexpected error.
`
}

function rowOf({ name, option, kind, hint, takes, default: shown }: (typeof flags)[number]): string {
  const value = kind === 'switch' ? '' : ` <${hint ?? name}>`
  const cells = [
    `\`--${name}${value}\``,
    `\`${variableOf(name)}\``,
    `\`${option}\``,
    takes,
    shown ? `\`${shown}\`` : '',
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
