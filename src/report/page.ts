import { createHash } from 'node:crypto'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'
import type { ReportIndex } from './data.ts'

/**
 * The beginning of a report. The bodies of the mails follow, each in a `<script type="text/plain">` of its own, which
 * no browser runs.
 */
export function pageBeginning(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Mails of a test run</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>Mails of a test run</h1>
<p id="about"></p>
<ul id="problems"></ul>
<form id="filters">
<input id="search" type="search" aria-label="Search" placeholder="Search in subjects, recipients and tests">
<select id="only" aria-label="Show">
<option value="all">All mails</option>
<option value="new">New mails</option>
<option value="changed">Changed mails</option>
<option value="errors">With errors of checks</option>
<option value="failed">Of failed tests</option>
</select>
</form>
</header>
<main>
<nav id="list" aria-label="Mails"></nav>
<article id="mail" tabindex="-1">
<h2>This run</h2>
<dl id="figures" class="figures"></dl>
<p>Select a mail, or press j and k to go through them.</p>
</article>
</main>
`
}

// A later run finds these elements by their opening tags: see baseline.ts. The script of the page finds them by their ids.

/** The opening tag of the element with the list of the mails. */
export const indexOpening = '<script type="application/json" id="index">'

/**
 * The opening tag of the element with the body of a mail.
 *
 * @param place  The place of the mail in the list. The script makes the id of the element from it, too.
 */
export function bodyOpening(place: number): string {
  return `<script type="text/plain" id="m${place}">`
}

/** The end of a report: the list of the mails, and the script of the page. */
export function pageEnd(index: ReportIndex): string {
  return `${indexOpening}${inScript(index)}</script>
<script>${pageScript}</script>
</body>
</html>
`
}

// Mails are not trusted. Their HTML is shown in frames without scripts and without an origin, and this policy,
// which frames inherit, allows one script: the page's own.
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(pageScript).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** JSON that cannot end the element it is in. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
