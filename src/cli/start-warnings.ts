import { isLoopback } from '../net/hosts.ts'
import type { Settings } from './settings.ts'

/** Risks of the settings, one warning each. The command prints them below the banner. */
export function startWarnings({ options, warnings }: Settings): string[] {
  const all = [...warnings]
  if (options.relayAll) {
    const relay = hostOf(options.relay ?? '')
    all.push(`--relay-all: every email sent over the API leaves this machine, through ${relay}.`)
  }
  if (!isLoopback(options.host)) all.push(...exposureWarnings(options))
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
  const warnings: string[] = []
  if (acceptAnyKey === true)
    warnings.push(
      `--accept-any-key with --host ${host}: API keys protect nothing. Anyone who can reach the port can read, send and delete all mail.`,
    )
  const signIn = users !== undefined ? '--users' : oidc?.issuer !== undefined ? '--oidc-issuer' : null
  const isOpen = signIn === null && apiKeys === undefined && acceptAnyKey !== true
  let exposure = `--host ${host}: other machines can reach the HTTP and SMTP ports.`
  // The key is in the banner.
  if (isOpen)
    exposure +=
      ' Everyone who has the API key above can read, send and delete all mail. Say who may sign in with --users or --oidc-issuer.'
  if (smtpAuth !== 'required')
    exposure += ' Anyone can submit mail over SMTP. Ask for a login with --smtp-auth required.'
  warnings.push(exposure)
  const isEncrypted =
    tls !== undefined || trustProxy !== undefined || publicUrl?.startsWith('https:') === true
  if (signIn !== null && !isEncrypted)
    warnings.push(
      `${signIn} with --host ${host}: sign-ins and mail are not encrypted on the network. Add --tls-cert and --tls-key, or put a proxy with TLS in front.`,
    )
  if (oidc?.issuer !== undefined && publicUrl === undefined)
    warnings.push(
      `--oidc-issuer with --host ${host}: the provider sends browsers back to this machine by its loopback name. Add --public-url with the address that they use.`,
    )
  return warnings
}

// A relay's URL may carry a password.
const hostOf = (relay: string): string => (URL.canParse(relay) ? new URL(relay).host : 'the relay')
