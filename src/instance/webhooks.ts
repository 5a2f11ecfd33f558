import { webhookShapes } from '../providers/webhook-shapes.ts'
import { openConfigurationSets, type ConfigurationSets } from '../providers/ses/configuration-sets.ts'
import { readTrackingSecret } from '../tracking/secret.ts'
import { createTokens } from '../tracking/tokens.ts'
import type { RunningWebhooks } from '../webhooks/service.ts'
import { createWebhooks, type WebhooksDeps } from '../webhooks/webhooks.ts'
import { reportFailures } from './notices.ts'
import type { SharedParts } from './shared-parts.ts'

export async function openWebhooks({
  config,
  outgoing,
  randomSources,
  baseUrl,
  following,
  ...parts
}: Pick<SharedParts, 'config' | 'outgoing' | 'randomSources' | 'baseUrl' | 'following'> &
  Pick<WebhooksDeps, 'store' | 'ids' | 'tally' | 'tracer'>): Promise<{
  webhooks: RunningWebhooks
  configurationSets: ConfigurationSets
}> {
  const { clock } = config
  const { store } = parts
  const configurationSets = await openConfigurationSets({ store, clock, following })
  const tokens = async (): Promise<ReturnType<typeof createTokens>> =>
    createTokens(await readTrackingSecret(store, randomSources('tracking')), clock)
  const webhooks = await createWebhooks({
    ...config,
    ...parts,
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
