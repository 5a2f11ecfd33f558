import { z } from 'zod'
import { LocalpostError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { LongBody } from '../../core/long-body.ts'
import { parseInput } from '../../core/validate.ts'
import { sendErrors } from '../../sending/results.ts'
import type { Answer } from '../../server/answer.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route, type RouteContext } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { sendOne } from '../send.ts'
import { quotaOf } from '../ses/account.ts'
import { sesSend } from '../ses/emails.ts'
import { sesV1Face } from './face.ts'
import { actionOf, readQuery } from './query.ts'
import { isSend, sendActions } from './send-query.ts'
import { toAnswer, type XmlValue } from './xml.ts'

const { post } = defineRoutes({ tag: 'Actions', access: 'key', face: sesV1Face })

/** An action that does not send: its parameters, and what it answers. */
interface Action {
  readonly schema: z.ZodType
  run(parts: ProviderParts): Promise<Readonly<Record<string, XmlValue>>>
}

const common = { Action: z.string(), Version: z.string().optional() }

// An address needs no registration: every sender may send whose domain may.
const verifyAddress: Action = {
  schema: z.strictObject({ ...common, EmailAddress: z.string().min(1) }),
  run: async () => ({}),
}

// A key of scope `send` may call all of them, so none changes or shows more than a send does.
const actions: Readonly<Record<string, Action>> = {
  VerifyEmailIdentity: verifyAddress,
  VerifyEmailAddress: verifyAddress,
  GetSendQuota: { schema: z.strictObject(common), run: quotaOf },
}

/** The actions that there are, for documents. */
const actionNames: readonly string[] = [...sendActions, ...Object.keys(actions)]

/** `/ses-v1/`, the query API of 2010: its actions are posted to one path. */
export function actionRoutes(parts: ProviderParts): Route[] {
  return [
    post('/ses-v1/', {
      needs: 'send',
      summary: `One of the actions ${actionNames.join(', ')}`,
      body: {
        schema: z.string().describe('The parameters as `application/x-www-form-urlencoded`'),
        readBy: 'resource',
        maxBytes: bodyLimits.large,
        textTypes: ['application/x-www-form-urlencoded'],
      },
      success: { schema: z.string().describe('XML'), type: 'text/xml' },
      errors: sendErrors,
      handler: (context) => act(context, parts),
    }),
  ]
}

async function act(
  context: Pick<RouteContext, 'body' | 'headers' | 'warn'>,
  parts: ProviderParts,
): Promise<Answer> {
  const { body, headers, warn } = context
  const bytes = body instanceof LongBody ? body.take() : Buffer.from(typeof body === 'string' ? body : '')
  const name = actionOf(bytes)
  if (name === null) throw validationError([{ field: 'Action', message: 'is missing' }])
  if (isSend(name)) {
    // A long body gives its bytes only once, and `sendOne` takes them too.
    const isText = true
    const given = body instanceof LongBody ? new LongBody(bytes, isText) : body
    const { id } = await sendOne(sesSend('ses query', parts), { body: given, headers, warn }, parts)
    return toAnswer(name, { MessageId: id })
  }
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) {
    const message = `${quote(name)}: Localpost does not have this action; it has ${actionNames.join(', ')}.`
    throw new LocalpostError('not_supported', message)
  }
  if (body instanceof LongBody)
    throw validationError([{ field: 'body', message: `is too long for ${quote(name)}` }])
  parseInput(action.schema, readQuery(bytes.toString()))
  return toAnswer(name, await action.run(parts))
}
