import { z } from 'zod'
import { notSupported } from '../not-supported.ts'

/** What the event destinations of SES can name. The last two never happen here. */
const eventTypes = [
  'SEND',
  'REJECT',
  'BOUNCE',
  'COMPLAINT',
  'DELIVERY',
  'OPEN',
  'CLICK',
  'DELIVERY_DELAY',
  'RENDERING_FAILURE',
  'SUBSCRIPTION',
] as const

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]*$/, 'may have only ASCII letters, digits, _ and -')

const noOptions = notSupported('Localpost has no options of configuration sets')

/** The body of `CreateConfigurationSet`. */
export const newConfigurationSetSchema = z.strictObject({
  ConfigurationSetName: name,
  TrackingOptions: noOptions,
  DeliveryOptions: noOptions,
  ReputationOptions: noOptions,
  SendingOptions: noOptions,
  SuppressionOptions: noOptions,
  VdmOptions: noOptions,
  ArchivingOptions: noOptions,
  Tags: noOptions,
})

/** A configuration set in detail. */
export const configurationSetSchema = z.strictObject({
  ConfigurationSetName: z.string(),
  SendingOptions: z.strictObject({ SendingEnabled: z.literal(true) }),
  Tags: z.array(z.never()),
})

const matching = z.array(z.enum(eventTypes)).max(eventTypes.length)
const sns = z.strictObject({ TopicArn: z.string().max(1600) })
const noOther = z
  .never({ error: 'is not supported: Localpost has SnsDestination, whose topic stands for a webhook' })
  .optional()

/** What an event destination does. */
const eventDestinationDefinitionSchema = z.strictObject({
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
export type SesEventDestinationDefinition = z.infer<typeof eventDestinationDefinitionSchema>

/** The body of `CreateConfigurationSetEventDestination`. */
export const newEventDestinationSchema = z.strictObject({
  EventDestinationName: name,
  EventDestination: eventDestinationDefinitionSchema,
})
export type SesNewEventDestination = z.infer<typeof newEventDestinationSchema>

/** The body of `UpdateConfigurationSetEventDestination`. */
export const changedEventDestinationSchema: z.ZodType<Pick<SesNewEventDestination, 'EventDestination'>> =
  z.strictObject({ EventDestination: eventDestinationDefinitionSchema })

/** An event destination. */
export const eventDestinationSchema = z.strictObject({
  Name: z.string(),
  Enabled: z.boolean(),
  MatchingEventTypes: matching,
  SnsDestination: sns,
})
export type SesEventDestination = z.infer<typeof eventDestinationSchema>
