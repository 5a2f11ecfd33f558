import type { Counts } from '../core/counts.ts'
import type { RandomSource } from '../core/random.ts'
import type { Ids } from '../core/ids.ts'
import type { Tracer } from '../core/tracer.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import { webhookShapes } from '../providers/facts.ts'
import { openConfigurationSets, type ConfigurationSets } from '../providers/ses/configuration-sets.ts'
import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'
import { readTrackingSecret } from '../tracking/secret.ts'
import { createTokens } from '../tracking/tokens.ts'
import type { RunningWebhooks } from '../webhooks/service.ts'
import { createWebhooks } from '../webhooks/webhooks.ts'
import { reportFailures } from './notices.ts'

/** Opens the webhooks of an account, and what chooses their events. */
export async function openWebhooks(parts: {
  config: Config
  outgoing: Outgoing
  store: Store
  ids: Ids
  following: Following
  tally: Counts['webhooks']
  tracer: Tracer | null
  randomSources: (purpose: string) => RandomSource
  baseUrl(): string
}): Promise<{ webhooks: RunningWebhooks; configurationSets: ConfigurationSets }> {
  const { config, outgoing, store, ids, following, tally, tracer, randomSources, baseUrl } = parts
  const { clock } = config
  const configurationSets = await openConfigurationSets({ store, clock, following })
  const tokens = async (): Promise<ReturnType<typeof createTokens>> =>
    createTokens(await readTrackingSecret(store, randomSources('tracking')), clock)
  const webhooks = await createWebhooks({
    ...config,
    store,
    ids,
    following,
    tally,
    tracer,
    random: randomSources('webhooks'),
    given: config.webhooks,
    shapes: webhookShapes,
    wants: configurationSets.wants,
    confirmationUrls: {
      async make(webhook_id) {
        const token = (await tokens()).make({ kind: 'webhook', webhook_id })
        return { token, url: `${baseUrl()}/t/w/${token}` }
      },
      read: async (token) => (await tokens()).read('webhook', token)?.webhook_id ?? null,
    },
    retryDelaysMs: config.webhookRetryDelaysMs,
    problemOf: outgoing.problemOf,
    onWarning: (message) => config.onNotice({ level: 'warning', message }),
    onError: reportFailures(
      config,
      'The outcome of a webhook delivery could not be stored.',
      'A webhook failed with an internal error.',
    ),
  })
  return {
    configurationSets,
    webhooks: {
      ...webhooks,
      async reload() {
        await configurationSets.reload()
        await webhooks.reload()
      },
    },
  }
}
