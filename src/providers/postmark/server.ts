import { z } from 'zod'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import { serverId } from './conventions.ts'
import { postmarkFace } from './face.ts'

const { get } = defineRoutes({ tag: 'Server', access: 'key', face: postmarkFace })

/** `/postmark/server`: what an app reads to see whether its token works. */
export function serverRoutes(): Route[] {
  return [
    get('/postmark/server', {
      summary: 'Get the server, of which each account has one',
      success: {
        schema: z.strictObject({
          ID: z.int(),
          Name: z.string(),
          ApiTokens: z.array(z.string()).describe('Empty: keys are shown once, when they are made'),
          Color: z.string(),
          SmtpApiActivated: z.boolean(),
          RawEmailEnabled: z.boolean(),
          DeliveryType: z.literal('Sandbox'),
          ServerLink: z.string(),
          InboundAddress: z.string(),
          InboundHookUrl: z.string(),
          BounceHookUrl: z.string(),
          OpenHookUrl: z.string(),
          DeliveryHookUrl: z.string(),
          ClickHookUrl: z.string(),
          PostFirstOpenOnly: z.boolean(),
          InboundDomain: z.string(),
          InboundHash: z.string(),
          InboundSpamThreshold: z.int(),
          TrackOpens: z.boolean(),
          TrackLinks: z.literal('None'),
          IncludeBounceContentInHook: z.boolean(),
          EnableSmtpApiErrorHooks: z.boolean(),
        }),
      },
      handler: () => ({
        ID: serverId,
        Name: 'Localpost',
        ApiTokens: [],
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
      }),
    }),
  ]
}
