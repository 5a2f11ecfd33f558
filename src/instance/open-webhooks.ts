import { ConfigurationSets } from '../providers/ses/configuration-sets.ts'
import { webhookShapes } from '../providers/webhook-shapes.ts'
import type { Store } from '../store/store.ts'
import { readTrackingSecret } from '../tracking/secret.ts'
import { createTokens } from '../tracking/tokens.ts'
import type { RunningWebhooks } from '../webhooks/service.ts'
import { createWebhooks } from '../webhooks/webhooks.ts'
import type { AccountMemory } from './account-memory.ts'
import { reportFailures } from './notices.ts'
import type { AccountParts } from './shared-parts.ts'

/** The webhooks of an account, and the configuration sets that choose their events. */
export async function openWebhooks(
  { config, outgoing, baseUrl, following, counts, tracer }: AccountParts,
  { ids, randomSources }: Pick<AccountMemory, 'ids' | 'randomSources'>,
  store: Store,
): Promise<{ webhooks: RunningWebhooks; configurationSets: ConfigurationSets }> {
  const { clock } = config
  const configurationSets = await ConfigurationSets.open({ store, clock, following })
  // Only confirmations of subscriptions, which are rare, need these.
  const tokens = async (): Promise<ReturnType<typeof createTokens>> =>
    createTokens(await readTrackingSecret(store, randomSources('tracking')), clock)
  const webhooks = await createWebhooks({
    ...config,
    store,
    ids,
    tracer,
    tally: counts.webhooks,
    following,
    random: randomSources('webhooks'),
    given: config.webhooks,
    shapes: webhookShapes,
    wants: (webhookId, email, type) => configurationSets.wants(webhookId, email, type),
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
