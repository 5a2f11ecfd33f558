import { parseEndpoint } from '../checks/spamd.ts'
import { invalidOption } from '../core/errors.ts'
import { addressProblem, hostAndPort, urlProblem } from '../net/guarded-request.ts'
import { createOutgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import { relayOptions } from '../outbox/relay-options.ts'

/**
 * Refuses the options `webhooks`, `relay`, `oidc.issuer`, `checks.spamd` and `checks.rspamd` with IP addresses that may
 * not be connected to, and `webhooks` also with names of this machine. Nothing is looked up or connected to: other
 * names are checked at each connection.
 *
 * A new option that names a destination belongs here too, so that the start refuses it and not only the first connection.
 * `otlpEndpoint` is not among them: the operator names it, and it is connected to wherever it is.
 *
 * @param listener  Where the instance will listen. Port 0 is any free port.
 * @throws invalid_option with the option's name and the reason.
 */
export function assertDestinations(
  { webhooks, relay, oidc, checks, hostname, allowOutgoing, allowHosts }: Config,
  listener: { host: string; port: number },
): void {
  const outgoing = createOutgoing(allowOutgoing, [hostname, ...allowHosts])
  // If other machines reach the listener, private networks and this one need permission. It is not open yet.
  outgoing.opened(listener)
  for (const [index, { url }] of webhooks.entries())
    refuse(`webhooks[${index}].url`, urlProblem(url, outgoing.problemOf))
  const spamd = checks.spamd === null ? null : parseEndpoint(checks.spamd)
  if (spamd) refuse('checks.spamd', addressProblem(spamd.host, spamd.port, outgoing.relayProblemOf))
  if (checks.rspamd !== null) refuse('checks.rspamd', urlProblem(checks.rspamd, outgoing.relayProblemOf))
  if (oidc.issuer !== null) {
    const place = hostAndPort(new URL(oidc.issuer))
    refuse('oidc.issuer', urlProblem(oidc.issuer, outgoing.providerProblemOf(place)))
  }
  if (relay !== null) {
    const { host, port } = relayOptions(relay, { hostname })
    refuse('relay', addressProblem(host, port, outgoing.relayProblemOf))
  }
}

function refuse(option: string, problem: string | null): void {
  if (problem === null) return
  throw invalidOption(`Option "${option}" may not be connected to: ${problem}.`)
}
