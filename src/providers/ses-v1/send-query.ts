import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { parseInput } from '../../core/validate.ts'
import { toSend as toSendOfV2 } from '../ses/requests.ts'
import { tagSchema, textSchema } from '../ses/send-schema.ts'
import type { Translate } from '../translation.ts'
import { readQuery } from './query.ts'

/** The names of the actions that send. */
export const sendActions = ['SendEmail', 'SendRawEmail', 'SendTemplatedEmail'] as const
type SendAction = (typeof sendActions)[number]

/** Whether an action sends. */
export function isSend(action: string): action is SendAction {
  return sendActions.some((one) => one === action)
}

const text = z.string()
/** Clients write an empty list as an empty text. */
const orEmpty = <T extends z.ZodType>(list: T): z.ZodPreprocess<z.ZodOptional<T>> =>
  z.preprocess((given) => (given === '' ? undefined : given), list.optional())
const addresses = orEmpty(z.array(text))
const shared = {
  Action: text,
  Version: text.optional(),
  SourceArn: text.optional(),
  ReturnPathArn: text.optional(),
  ConfigurationSetName: text.optional(),
  Tags: orEmpty(z.array(tagSchema)),
}
const composed = {
  ...shared,
  Source: text,
  Destination: z.strictObject({ ToAddresses: addresses, CcAddresses: addresses, BccAddresses: addresses }),
  ReplyToAddresses: addresses,
  // Where bounces of the message would go; here they are events.
  ReturnPath: text.optional(),
}

/** The actions that send, each as a request of version 2. */
const sendSchemas = {
  SendEmail: z
    .strictObject({
      ...composed,
      Message: z.strictObject({
        Subject: textSchema,
        Body: z.strictObject({ Text: textSchema.optional(), Html: textSchema.optional() }),
      }),
    })
    .transform(({ Message, ...given }) => ({ ...ofComposed(given), Content: { Simple: Message } })),
  SendTemplatedEmail: z
    .strictObject({ ...composed, Template: text, TemplateData: text })
    .transform(({ Template, TemplateData, ...given }) => ({
      ...ofComposed(given),
      Content: { Template: { TemplateName: Template, TemplateData } },
    })),
  SendRawEmail: z
    .strictObject({
      ...shared,
      Source: text.optional(),
      Destinations: addresses,
      FromArn: text.optional(),
      RawMessage: z.strictObject({ Data: text }),
    })
    .transform(({ Source, Destinations, RawMessage, Tags, ConfigurationSetName }) => ({
      FromEmailAddress: Source,
      Destination: { ToAddresses: Destinations },
      EmailTags: Tags,
      ConfigurationSetName,
      Content: { Raw: RawMessage },
    })),
} satisfies Record<SendAction, z.ZodType>

interface Composed {
  Source: string
  Destination: object
  ReplyToAddresses?: string[] | undefined
  Tags?: object[] | undefined
  ConfigurationSetName?: string | undefined
}

function ofComposed({ Source, Destination, ReplyToAddresses, Tags, ConfigurationSetName }: Composed): object {
  return { FromEmailAddress: Source, Destination, ReplyToAddresses, EmailTags: Tags, ConfigurationSetName }
}

/** Translates the body of an action that sends. @throws validation_error */
export const toQuerySend: Translate = (body, facts) => {
  const query = readQuery(String(body))
  const action = String(query['Action'])
  if (!isSend(action)) throw validationError([{ field: 'Action', message: 'is not one that sends' }])
  const schema: z.ZodType<object> = sendSchemas[action]
  return toSendOfV2(parseInput(schema, query), facts)
}
