import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { authorityOf, isLoopback } from '../net/hosts.ts'
import { shownAddress } from '../store/postgres/address.ts'
import type { Localpost } from '../instance/instance.ts'
import { paint } from './output.ts'
import type { Settings } from './settings.ts'

/**
 * The banner that the command prints once the server is running: the addresses, and a command to try. A key from a file is
 * not printed, because people who may not read the file may read the output, or the log of a container.
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
    all.push(...exposureWarnings(options))
  }
  return all
}

/** Warnings about who can read and submit mail, for a server that other machines can reach. */
function exposureWarnings({
  host,
  users,
  oidc,
  apiKeys,
  acceptAnyKey,
  smtpAuth,
  tls,
  trustProxy,
  publicUrl,
}: Settings['options']): string[] {
  const reach = `--host ${host}: other machines can reach the HTTP and SMTP ports.`
  const signIn = users !== undefined ? '--users' : oidc?.issuer !== undefined ? '--oidc-issuer' : null
  const isOpen = signIn === null && apiKeys === undefined && acceptAnyKey !== true
  const who = isOpen
    ? ' Everyone who has the API key above can read, send and delete all mail. Say who may sign in with --users or --oidc-issuer.'
    : ''
  const submit =
    smtpAuth === 'required'
      ? ''
      : ' Anyone can submit mail over SMTP. Ask for a login with --smtp-auth required.'
  const isEncrypted =
    tls !== undefined || trustProxy !== undefined || publicUrl?.startsWith('https:') === true
  const clear = `${signIn} with --host ${host}: sign-ins and mail are not encrypted on the network. Add --tls-cert and --tls-key, or put a proxy with TLS in front.`
  const back = `--oidc-issuer with --host ${host}: the provider sends browsers back to this machine by its loopback name. Add --public-url with the address that they use.`
  return [
    `${reach}${who}${submit}`,
    ...(signIn !== null && !isEncrypted ? [clear] : []),
    ...(oidc?.issuer !== undefined && publicUrl === undefined ? [back] : []),
  ]
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

// A relay's URL may carry a password.
function hostOf(relay: string): string {
  return URL.canParse(relay) ? new URL(relay).host : 'the relay'
}
