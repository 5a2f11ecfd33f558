import type { ServerDeps } from './deps.ts'
import { hostOf } from './guard.ts'

/** The names of hosts that are served: what was given, and the name that the listener was opened with, once it is open. */
export function createAllowedHosts({
  config,
  listener,
}: Pick<ServerDeps, 'config' | 'listener'>): () => Set<string> {
  const given = config.publicUrl ? [...config.allowHosts, new URL(config.publicUrl).host] : config.allowHosts
  const hosts = new Set(given.flatMap((host) => hostOf(host) ?? []))
  let ownUrl: string | undefined
  return () => {
    const url = listener()?.url
    if (url !== undefined && url !== ownUrl) {
      ownUrl = url
      hosts.add(hostOf(new URL(url).host) ?? '')
    }
    return hosts
  }
}
