import { checkRegistry } from '../src/checks/registry.ts'
import type { RegisteredCheck } from '../src/checks/check.ts'
import { clientNames } from '../src/client-support/features.ts'

/** Writes docs/checks.md from the table of checks. */
export function renderCheckReference(): string {
  const groups = [...new Set(checkRegistry.map(({ group }) => group))]
  return `# Checks of a mail

<!-- Written by \`npm run docs\` from src/checks/registry.ts. -->

The page shows these checks under Checks, \`GET /dev/inbox/{id}/checks\` and \`post.inbox.check(id)\` answer them, and
\`localpost check\` runs them on files and on the mail of a running server. Nothing is fetched. If \`--spamd\` or \`--rspamd\` names a spam filter, it gets the message; one that does not answer in ten seconds is reported, and the other
checks stand. \`toPassChecks\` asks no filter: \`post.inbox.check(id)\` does.

On request, each link and image is requested once, and the BIMI logo is fetched: \`--live\`, \`?live=true\` (with an API key or the header \`X-Localpost-Page: 1\`) or \`{ live: true }\`.

DNS is not queried: the records for SPF, DMARC and BIMI are those that Localpost tells your domains to publish, and those of a zone file (RFC 1035), which must be complete for its domains. With the addresses of your sending hosts, SPF is
evaluated: \`localpost check --zone acme.zone --sending-host 203.0.113.5 mail.eml\`. A check that needs a record which is
not known is skipped, and says which.

Each finding has the \`id\` of its check, a \`severity\`, a \`message\`, the \`place\` (header field, or line and snippet),
a \`fix\` and a \`link\`. An \`error\` affects recipients, a \`warning\` affects some of them or may, a \`note\` is good to
know. A check is ended after two seconds and says so; long mails are checked in a thread of their own.
The address of one check in the page is \`#/mail/{id}/checks/{check}\`.
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

${mailpitSection}`
}

/** Measured once, by the rules in Mailpit's source; `test/client-support/mailpit.test.ts` holds the judgements. */
const mailpitSection = `## Compared with Mailpit

On 85 mails made from 38 public templates, the features that some client does not support were compared with those that the
rules in Mailpit's source find, where both know the feature: 42 of \`foundation-emails\` 2.5.1 (11 templates, 31 pages), 15 of
\`ghost\` 5.130.6 (its newsletter and 14 others), 12 of \`mailgen\` 2.0.36 (4 themes), 10 of \`hermes\` 1.3.0 (2 themes), 4 of
\`create-email\` 1.2.5, 2 of \`responsive-html-email-template\` 1.0.0. Mailpit moves style sheets into elements with
\`go-premailer\`; here \`juice\` 11.1.1 did it. These are all differences:

| feature | mails | who finds it | which is right |
|---|---|---|---|
| \`css-at-media\` | 77 | Localpost | Localpost: Mailpit's pattern needs \`@media (\`, so it misses \`@media only screen and (\`. |
| \`css-min-height\`, \`css-max-height\`, \`css-min-width\`, \`css-overflow\`, \`css-box-shadow\`, \`css-rgba\`, \`css-rgb\`, \`css-important\`, \`css-text-align\`, \`css-text-decoration\`, \`css-list-style-position\`, \`css-unit-vw\`, \`css-unit-initial\` | 1 to 43 | Localpost | Both: they are in style sheets, in media queries, for states such as \`:hover\`, or for elements that this mail does not have. Mailpit looks at styles that can be moved into elements. |
| \`css-display-none\`, \`css-display\` | 55 and 3 | Localpost | Localpost, for the same reason, and because Mailpit does not find \`display: none\` with a space. |
| \`css-display-flex\` | 1 | Localpost | Localpost: Mailpit does not find \`display: flex\` with a space. |
| \`css-border\` | 34 | Localpost | Both: Localpost counts \`border-top\` and \`border-color\`, Mailpit only \`border\`. |
| \`css-margin\`, \`css-overflow\` | 1 each | Localpost | Both: Localpost counts \`margin-left\` and \`overflow-y\`, Mailpit only the shorthand. |
| \`html-anchor-links\` | 18 | Mailpit | Localpost: \`href="#"\` leads to no place in the mail. The check \`links\` reports it. |
| \`css-background-color\` | 8 | Mailpit | Localpost: the attribute \`bgcolor\` is not CSS. |
| \`css-height\` | 4 | Mailpit | Localpost: Mailpit takes \`line-height\` and \`max-height\`, and the attribute \`height\`, for it. |
| \`css-transform\` | 5 | Mailpit | Localpost: Mailpit takes \`text-transform\` for it. |
| \`css-position\` | 1 | Mailpit | Localpost: Mailpit takes \`background-position\` for it. |
`

function sectionOf(group: RegisteredCheck['group']): string {
  const rows = checkRegistry.filter((row) => row.group === group)
  return `## ${group}: checks

| id | passes if | else | worst severity | what it looks for | what to do |
|---|---|---|---|---|---|
${rows.map(({ id, title, headline, severity, about, fix, link }) => `| [\`${id}\`](${link}) | ${title} | ${headline} | ${severity} | ${cell(about)} | ${cell(fix)} |`).join('\n')}
`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
