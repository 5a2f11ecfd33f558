import { relative } from 'node:path'
import { authorityOf, isLoopback } from '../net/hosts.ts'
import type { Localpost } from '../instance/instance.ts'
import { paint } from './output.ts'
import type { Settings } from './settings.ts'

/** What the command prints once the server is running: the addresses, and a command to try. */
export function renderBanner(post: Localpost, { options }: Settings, version: string): string {
  const url = post.url ?? ''
  const rows = [
    ['Page', paint('cyan', url)],
    ['API', paint('cyan', `${url}/v1`)],
    ['SMTP', paint('cyan', authorityOf(post.smtp.host, post.smtp.port))],
    ['Key', post.apiKey],
    ['Data', options.dir === undefined ? 'in memory, lost when the server stops' : shortPath(options.dir)],
  ]
  return [
    '',
    `  ${paint('bold', 'Localpost')} ${paint('dim', version)}`,
    '',
    ...rows.map(([label = '', value = '']) => `  ${paint('dim', label.padEnd(6))}${value}`),
    '',
    `  ${paint('dim', 'Try it:')}`,
    // Not indented, so that a line taken whole begins with the command.
    tryLine(url, post.apiKey, options.strict === true),
    '',
  ].join('\n')
}

/** Risks of the settings, one sentence each. */
export function startWarnings({ options, warnings }: Settings): string[] {
  const all = [...warnings]
  if (options.relayAll) {
    const relay = hostOf(options.relay ?? '')
    all.push(`--relay-all: every email sent over the API leaves this machine, through ${relay}.`)
  }
  if (options.acceptAnyKey && !isLoopback(options.host)) {
    all.push(
      `--accept-any-key with --host ${options.host}: API keys protect nothing. Anyone who can reach the port can read, send and delete all mail.`,
    )
  }
  if (!isLoopback(options.host)) {
    all.push(`--host ${options.host}: other machines can reach the HTTP and SMTP ports.`)
  }
  return all
}

/** A command for any POSIX shell, in lines of up to 100 columns. It does not send if a strict instance would refuse. */
function tryLine(url: string, apiKey: string, isStrict: boolean): string {
  const parts = [`curl ${url}/v1/emails`, `-H ${shellQuote(`Authorization: Bearer ${apiKey}`)}`]
  if (!isStrict) {
    const email = { from: 'hello@acme.test', to: 'ada@example.com', subject: 'Hello', text: 'It works.' }
    parts.push(`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(email))}`)
  }
  return parts.join(' \\\n  ')
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function shortPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') || short === '' ? path : `./${short}`
}

// A relay's URL may carry a password.
function hostOf(relay: string): string {
  return URL.canParse(relay) ? new URL(relay).host : 'the relay'
}
