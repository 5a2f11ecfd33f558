import { checkRegistry } from '../src/checks/registry.ts'
import type { CheckRow } from '../src/checks/subject.ts'
import { clientNames } from '../src/client-support/data.ts'

/** Writes docs/checks.md from the table of checks. */
export function renderCheckReference(): string {
  const groups = [...new Set(checkRegistry.map(({ group }) => group))]
  return `# Checks of a mail

<!-- Written by \`npm run docs\` from src/checks/registry.ts. -->

The page shows these checks under Checks, \`GET /dev/inbox/{id}/checks\` and \`post.inbox.check(id)\` answer them, and
\`localpost check\` runs them on files and on the mail of a running server. Nothing is fetched. Where \`--spamd\` or
\`--rspamd\` names a spam filter, it gets the message; one that does not answer in ten seconds is reported, and the other
checks stand. \`toPassChecks\` asks no filter: \`post.inbox.check(id)\` does.

On request each link and image is asked once: \`--live\`, \`?live=true\` or \`{ live: true }\`.

Nothing is looked up: the DNS records for SPF, DMARC and BIMI are those that the own domains are told to publish, and
those of a zone file (RFC 1035), whose domains count as complete. With the addresses of your sending hosts, SPF is
evaluated: \`localpost check --zone acme.zone --sending-host 203.0.113.5 mail.eml\`. A check that needs a record which is
not known is skipped, and says which.

Each finding has the \`id\` of its check, a \`severity\`, a \`message\`, the \`place\` (header field, or line and snippet),
a \`fix\` and a \`link\`. An \`error\` affects recipients, a \`warning\` affects some of them or may, a \`note\` is good to
know. A check that takes longer than two seconds gives up and says so; long mails are checked in a thread of their own.
Of the HTML the first 1,000,000 characters are checked.

The option \`checks\` names the checks to leave out and the mail clients that matter:

\`\`\`js
export default {
  checks: { except: ['tracking-pixel'], clients: ['gmail/ios', 'outlook/windows'] },
}
\`\`\`

${groups.map(sectionOf).join('\n')}
## Mail clients

The keys for \`clients\`, by the tables of [Can I email](https://www.caniemail.com):

${clientNames.map(([key, name]) => `- \`${key}\`: ${name}`).join('\n')}
`
}

function sectionOf(group: CheckRow['group']): string {
  const rows = checkRegistry.filter((row) => row.group === group)
  return `## ${group}: checks

| id | passes if | worst severity | what it looks for | what to do |
|---|---|---|---|---|
${rows.map(({ id, title, severity, about, fix, link }) => `| [\`${id}\`](${link}) | ${title} | ${severity} | ${cell(about)} | ${cell(fix)} |`).join('\n')}
`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
