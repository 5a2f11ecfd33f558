import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { authorityOf } from '../net/hosts.ts'
import { shownAddress } from '../store/postgres/address.ts'
import type { Localpost } from '../instance/instance.ts'
import { paint } from './output.ts'
import type { Settings } from './settings.ts'

/**
 * The banner that the command prints once the server is running: the addresses, and a command to try. A key from a file is
 * not printed, because people who may not read the file may read the output, or the log of a container. Looks at the disk
 * whether the command can read it.
 */
export function renderBanner(
  post: Localpost,
  { options, keyFile, isForMailpit }: Settings,
  version: string,
): string {
  const url = post.url ?? ''
  const rows = [
    ['Page', paint('cyan', url)],
    ['API', paint('cyan', `${url}/v1`)],
    ['SMTP', paint('cyan', authorityOf(post.smtp.host, post.smtp.port))],
    ...(post.smtps ? [['SMTPS', paint('cyan', authorityOf(post.smtps.host, post.smtps.port))]] : []),
    ['Key', keyFile === undefined ? post.apiKey : `the first in ${shortPath(keyFile)}`],
    ['Data', placeOfData(options)],
  ]
  return [
    '',
    `  ${paint('bold', 'Localpost')} ${paint('dim', version)}`,
    '',
    ...rows.map(([label = '', value = '']) => `  ${paint('dim', label.padEnd(6))}${value}`),
    // Modules of test frameworks wait for the words "accessible via" of Mailpit's log.
    ...(isForMailpit ? ['', `  Mailpit's API is accessible via ${paint('cyan', `${url}/api/v1`)}`] : []),
    '',
    `  ${paint('dim', 'Try it:')}`,
    // Not indented, so that a line taken whole begins with the command.
    tryLine(url, keyFile === undefined ? shellQuote(bearer + post.apiKey) : headerFrom(keyFile), options),
    '',
  ].join('\n')
}

function placeOfData({ dir, store }: Settings['options']): string {
  if (store !== undefined) return `PostgreSQL, ${shownAddress(store)}`
  return dir === undefined ? 'in memory, lost when the server stops' : shortPath(dir)
}

/** A command for any POSIX shell, in lines of up to 100 columns. It does not send if a strict instance would refuse. */
function tryLine(url: string, header: string, { strict }: Settings['options']): string {
  const parts = [`curl ${url}/v1/emails`, `-H ${header}`]
  if (strict !== true) {
    const email = { from: 'hello@acme.test', to: 'ada@example.com', subject: 'Hello', text: 'It works.' }
    parts.push(`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(email))}`)
  }
  return parts.join(' \\\n  ')
}

const bearer = 'Authorization: Bearer '

/** The header with the first key of a file, which the shell reads. A pipe cannot be read twice. */
function headerFrom(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return `'${bearer}YOUR_API_KEY'`
  return `"${bearer}$(grep -om1 '[[:graph:]][[:graph:]]*' ${shellQuote(shortPath(file))})"`
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function shortPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') || short === '' ? path : `./${short}`
}
