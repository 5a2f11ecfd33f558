import { version } from '../../core/version.ts'
import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { defineMailpitRoutes } from './define-routes.ts'
import { configurationSchema, infoSchema, type Configuration, type Info } from './schema.ts'

const { get } = defineMailpitRoutes('Application')

/** `/api/v1/info` and `/api/v1/webui`. */
export function systemRoutes({
  inbox,
  config,
  state,
}: Pick<ProviderParts, 'inbox' | 'config' | 'state'>): Route[] {
  return [
    get('/api/v1/info', {
      summary: 'The version, and how many messages there are',
      success: { schema: infoSchema },
      async handler(): Promise<Info> {
        const { total, unread } = await inbox.overview()
        const { count: submitted } = await inbox.entries({ query: 'source:smtp', limit: 1 })
        const tags = (await inbox.tags()).filter(({ count }) => count > 0)
        return {
          Version: `localpost ${version}`,
          LatestVersion: 'disabled',
          Database: (await state()).store,
          DatabaseSize: 0,
          Messages: total,
          Unread: unread,
          Tags: Object.fromEntries(tags.map(({ tag, count }) => [tag, count])),
          RuntimeStats: {
            Uptime: Math.floor(process.uptime()),
            Memory: process.memoryUsage().rss,
            MessagesDeleted: 0,
            SMTPAccepted: submitted,
            SMTPAcceptedSize: 0,
            SMTPRejected: 0,
            SMTPIgnored: 0,
          },
        }
      },
    }),
    get('/api/v1/webui', {
      summary: 'What is switched on',
      success: { schema: configurationSchema },
      handler: (): Configuration => ({
        Label: '',
        MessageRelay: {
          Enabled: config.relay !== null,
          SMTPServer: config.relay === null ? '' : new URL(config.relay).host,
          ReturnPath: '',
          AllowedRecipients: '',
          BlockedRecipients: '',
          OverrideFrom: '',
          PreserveMessageIDs: true,
          RecipientAllowlist: '',
        },
        SpamAssassin: config.checks.spamd !== null,
        ChaosEnabled: true,
        DuplicatesIgnored: false,
        HideDeleteAllButton: false,
      }),
    }),
  ]
}
