import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notSupported } from '../not-supported.ts'
import type { ProviderParts } from '../provider.ts'
import { eventTypes, type EventDestination } from './configuration-sets.ts'
import { ses } from './conventions.ts'
import { sesFace } from './face.ts'
import { answerEmpty, emptyAnswer, pageBody, pageQuery, pageSchema } from './pages.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Configuration sets', access: 'key', face: sesFace })

const path = '/ses/v2/email/configuration-sets'
const destinationsPath = `${path}/{set}/event-destinations` as const
const listSchema = pageSchema({ ConfigurationSets: z.array(z.string()) })

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]*$/, 'may have only ASCII letters, digits, _ and -')
const noOptions = notSupported('Localpost has no options of configuration sets')
const matching = z.array(z.enum(eventTypes)).max(eventTypes.length)
const sns = z.strictObject({ TopicArn: z.string().max(1600) })
const noOther = notSupported('Localpost has SnsDestination, whose topic stands for a webhook')

/** An event destination as it is given; answers have its name too. */
const destinationSchema = z.strictObject({
  Enabled: z.boolean().optional().describe('Default: false, as in SES'),
  MatchingEventTypes: matching.min(1),
  SnsDestination: sns.describe(
    '`TopicArn` ends with the id of a webhook of the form `ses`: `arn:aws:sns:us-east-1:000000000000:wh_…`',
  ),
  KinesisFirehoseDestination: noOther,
  CloudWatchDestination: noOther,
  PinpointDestination: noOther,
  EventBridgeDestination: noOther,
})
const shownDestinationSchema = z.strictObject({
  Name: z.string(),
  Enabled: z.boolean(),
  MatchingEventTypes: matching,
  SnsDestination: sns,
})

/** `/ses/v2/email/configuration-sets`: which events of which emails go to which webhook. */
export function configurationSetRoutes({
  configurationSets: sets,
  webhooks,
}: Pick<ProviderParts, 'configurationSets' | 'webhooks'>): Route[] {
  /** @param query.NextToken  The name of the last one of the page before. */
  function list({ NextToken = '', PageSize }: z.output<typeof pageBody>): object {
    const names = sets.list().flatMap(({ id }) => (id > NextToken ? id : []))
    const page = names.slice(0, PageSize || 1000)
    return { ConfigurationSets: page, NextToken: names.length > page.length ? page.at(-1) : undefined }
  }

  /** @throws validation_error for a topic that stands for no webhook. */
  async function toDestination(
    name: string,
    { Enabled = false, MatchingEventTypes, SnsDestination: { TopicArn } }: z.output<typeof destinationSchema>,
  ): Promise<EventDestination> {
    const [, webhook_id = ''] = topicArn.exec(TopicArn) ?? []
    const { items } = await webhooks.list()
    if (!items.some(({ id, shape }) => id === webhook_id && shape === ses)) {
      const field = 'EventDestination.SnsDestination.TopicArn'
      const message = `must end with the id of a webhook of the form ses, as in arn:aws:sns:us-east-1:000000000000:wh_1, not ${quote(TopicArn)}: create the webhook first`
      throw validationError([{ field, message }])
    }
    const types = [...new Set(MatchingEventTypes)]
    return { name, enabled: Enabled, types, topic_arn: TopicArn, webhook_id }
  }

  return [
    post(path, {
      summary: 'CreateConfigurationSet',
      body: {
        schema: z.strictObject({
          ConfigurationSetName: name,
          TrackingOptions: noOptions,
          DeliveryOptions: noOptions,
          ReputationOptions: noOptions,
          SendingOptions: noOptions,
          SuppressionOptions: noOptions,
          VdmOptions: noOptions,
          ArchivingOptions: noOptions,
          Tags: noOptions,
        }),
        maxBytes: bodyLimits.small,
      },
      success: { schema: emptyAnswer },
      errors: ['name_taken', 'state_conflict'],
      handler: ({ body }) => answerEmpty(sets.create(body.ConfigurationSetName)),
    }),
    get(path, {
      summary: 'ListConfigurationSets: by name',
      query: pageQuery,
      success: { schema: listSchema },
      handler: ({ query }) => list(query),
    }),
    post('/ses/v2/email/list-configuration-sets', {
      summary: 'ListConfigurationSets, as newer SDKs call it',
      needs: 'read',
      body: { schema: pageBody, maxBytes: bodyLimits.small, optional: true },
      success: { schema: listSchema },
      handler: ({ body }) => list(body),
    }),
    get(`${path}/{set}`, {
      summary: 'GetConfigurationSet',
      success: {
        schema: z.strictObject({
          ConfigurationSetName: z.string(),
          SendingOptions: z.strictObject({ SendingEnabled: z.literal(true) }),
          Tags: z.array(z.never()),
        }),
      },
      handler: ({ params }) => ({
        ConfigurationSetName: sets.get(params.set).id,
        SendingOptions: { SendingEnabled: true },
        Tags: [],
      }),
    }),
    del(`${path}/{set}`, {
      summary: 'DeleteConfigurationSet: remove it with its event destinations',
      success: { schema: emptyAnswer },
      handler: ({ params }) => answerEmpty(sets.remove(params.set)),
    }),
    post(destinationsPath, {
      summary: 'CreateConfigurationSetEventDestination',
      body: {
        schema: z.strictObject({ EventDestinationName: name, EventDestination: destinationSchema }),
        maxBytes: bodyLimits.small,
      },
      success: { schema: emptyAnswer },
      errors: ['name_taken', 'state_conflict'],
      async handler({ params, body: { EventDestinationName, EventDestination } }) {
        sets.get(params.set)
        const destination = await toDestination(EventDestinationName, EventDestination)
        return answerEmpty(sets.addDestination(params.set, destination))
      },
    }),
    get(destinationsPath, {
      summary: 'GetConfigurationSetEventDestinations',
      success: { schema: z.strictObject({ EventDestinations: z.array(shownDestinationSchema) }) },
      handler: ({ params }) => ({ EventDestinations: sets.get(params.set).destinations.map(shown) }),
    }),
    put(`${destinationsPath}/{name}`, {
      summary: 'UpdateConfigurationSetEventDestination',
      body: { schema: z.strictObject({ EventDestination: destinationSchema }), maxBytes: bodyLimits.small },
      success: { schema: emptyAnswer },
      async handler({ params: { set, name }, body }) {
        sets.get(set)
        const destination = await toDestination(name, body.EventDestination)
        return answerEmpty(sets.replaceDestination(set, destination))
      },
    }),
    del(`${destinationsPath}/{name}`, {
      summary: 'DeleteConfigurationSetEventDestination',
      success: { schema: emptyAnswer },
      handler: ({ params }) => answerEmpty(sets.removeDestination(params.set, params.name)),
    }),
  ]
}

const topicArn = /^arn:[a-z-]{1,20}:sns:[a-z0-9-]{1,40}:\d{1,20}:(\w{1,80})$/

function shown(destination: EventDestination): z.output<typeof shownDestinationSchema> {
  const { name, enabled, types, topic_arn } = destination
  return { Name: name, Enabled: enabled, MatchingEventTypes: types, SnsDestination: { TopicArn: topic_arn } }
}
