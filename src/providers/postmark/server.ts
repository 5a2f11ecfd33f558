import { z } from 'zod'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import { constantMembers } from '../constant-members.ts'
import { serverId } from './conventions.ts'
import { postmarkFace } from './face.ts'

const { get } = defineRoutes({ tag: 'Server', access: 'key', face: postmarkFace })

const server = {
  ID: serverId,
  Name: 'Localpost',
  Color: 'Grey',
  SmtpApiActivated: true,
  RawEmailEnabled: false,
  DeliveryType: 'Sandbox',
  ServerLink: '',
  InboundAddress: '',
  InboundHookUrl: '',
  BounceHookUrl: '',
  OpenHookUrl: '',
  DeliveryHookUrl: '',
  ClickHookUrl: '',
  PostFirstOpenOnly: false,
  InboundDomain: '',
  InboundHash: '',
  InboundSpamThreshold: 0,
  TrackOpens: false,
  TrackLinks: 'None',
  IncludeBounceContentInHook: false,
  EnableSmtpApiErrorHooks: true,
}
const serverSchema = z.strictObject({
  ...constantMembers(server),
  ApiTokens: z.array(z.string()).describe('Empty: keys are shown once, when they are made'),
})

/** `/postmark/server`: what an app reads to see whether its token works. */
export function serverRoutes(): Route[] {
  return [
    get('/postmark/server', {
      summary: 'Get the server, of which each account has one',
      success: { schema: serverSchema },
      handler: () => ({ ...server, ApiTokens: [] }),
    }),
  ]
}
