import type { DomainSummary } from '../../../src/domains/types.ts'
import { resetScopes } from '../../../src/options/reset-scopes.ts'
import { type Api, ApiError } from '../../composables/api.ts'

/** What else can be deleted together with all mail. */
export interface Extras {
  /** Requests and SMTP sessions, which a reset deletes. Faults are off then. */
  traffic: boolean
  /** The deliveries to webhooks that are finished; those that wait are sent. */
  deliveries: boolean
  /** The domains that mail only mentioned. */
  domains: boolean
}

/** Deletes what is chosen, and keeps everything else. */
export async function removeExtras(api: Pick<Api, 'read' | 'write'>, chosen: Extras): Promise<void> {
  for (const id of chosen.domains ? await mentionedDomains(api) : []) {
    await api.write('DELETE', `dev/domains/${encodeURIComponent(id)}`).catch((error: unknown) => {
      // Removed meanwhile.
      if (!(error instanceof ApiError && error.status === 404)) throw error
    })
  }
  if (chosen.deliveries) await api.write('DELETE', 'dev/webhooks/deliveries')
  if (chosen.traffic) await api.write('POST', 'dev/reset', { keep: [...resetScopes] })
}

/** The ids of the domains that were not created but seen in mail. */
export async function mentionedDomains(api: Pick<Api, 'read'>, signal?: AbortSignal): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: DomainPage = await api.read<DomainPage>(`dev/domains?limit=500${after}`, signal)
    ids.push(...page.domains.flatMap(({ id, is_created }) => (is_created ? [] : [id])))
    cursor = page.cursor
  } while (cursor !== null)
  return ids
}

interface DomainPage {
  domains: DomainSummary[]
  cursor: string | null
}
