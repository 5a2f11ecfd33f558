import { z } from 'zod'
import { LocalpostError } from '../../core/errors.ts'
import { resetScopes } from '../../options/reset-scopes.ts'
import { type Answer, bytesAnswer, jsonAnswer } from '../answer.ts'
import { formatOf, mediaTypes, writeMetrics } from '../../telemetry/exposition.ts'
import { familiesOf } from '../../telemetry/metrics.ts'
import { isAccepting, readHealth, readMetricFacts } from '../health.ts'
import type { LiveEvents } from '../live-events.ts'
import type { ServerDeps } from '../deps.ts'
import { healthSchema, loggedRequestSchema, providerInfoSchema } from '../schema.ts'
import { defineRoutes, type Route, type RouteContext } from '../define-routes.ts'
import { devPageQuery } from '../lists.ts'

const { get, post, list } = defineRoutes({ tag: 'Instance', access: 'local' })

/** Routes of the instance itself: health, reset, live events, the request log. */
export function instanceRoutes(deps: ServerDeps, live: LiveEvents): Route[] {
  const metricsRow = {
    headers: {
      Accept: {
        description: '`application/openmetrics-text` for OpenMetrics 1.0; otherwise the text format 0.0.4',
      },
    },
    success: {
      type: mediaTypes.text,
      alsoTypes: [mediaTypes.openmetrics],
      description: 'The text format of Prometheus, or OpenMetrics',
    },
    async handler({ headers }: Pick<RouteContext, 'headers'>): Promise<Answer> {
      const format = formatOf(headers.get('accept'))
      const text = writeMetrics(familiesOf(await readMetricFacts(deps)), format)
      return bytesAnswer(text, { 'content-type': mediaTypes[format], vary: 'Accept' })
    },
  }
  return [
    get('/dev/health', {
      summary: 'Whether the instance accepts mail and requests, and how much is stored',
      success: { schema: healthSchema, alsoStatus: [503] },
      async handler() {
        const health = await readHealth(deps)
        return jsonAnswer(health, isAccepting(health.status) ? 200 : 503)
      },
    }),
    get('/metrics', {
      ...metricsRow,
      summary:
        'Metrics of the instance, for Prometheus; for an account other than `default`, those that concern it',
    }),
    get('/dev/metrics', { ...metricsRow, summary: 'The same as `GET /metrics`' }),
    get('/dev/providers', {
      summary: 'The providers whose APIs this instance has, and how an app is pointed to them',
      success: { schema: z.strictObject({ providers: z.array(providerInfoSchema) }) },
      handler: () => ({
        providers: (deps.faces?.all ?? []).map(({ name, title, prefix, connect }) => {
          return { name, title, path: prefix, ...connect }
        }),
      }),
    }),
    get('/dev/ca.pem', {
      summary: 'The authority (CA) to trust for SMTP with TLS, where Localpost made the certificate',
      success: { type: caType, description: 'One certificate in PEM' },
      errors: ['not_found'],
      handler() {
        if (deps.ca === null) throw noCa(deps.config)
        return bytesAnswer(Buffer.from(deps.ca), {
          'content-type': caType,
          'content-disposition': 'attachment; filename="localpost-ca.pem"',
        })
      },
    }),
    post('/dev/reset', {
      needs: 'admin',
      summary: 'Empty everything but the keys',
      body: { schema: resetSchema, optional: true },
      success: { schema: z.strictObject({ status: z.literal('reset') }) },
      async handler({ body }) {
        await deps.reset(body.keep ?? [])
        return { status: 'reset' }
      },
    }),
    get('/dev/events', {
      summary: 'Live events, as server-sent events',
      headers: {
        'Last-Event-ID': { description: 'The last id that was seen; what came since comes first' },
      },
      success: {
        type: 'text/event-stream',
        description:
          '`email.created`, `email.updated`, `email.deleted` and `domain.updated` with `{ id }`; `tags.changed` when the colour of a tag changed; `list.changed` with `{ list }`, such as `rules` or `scheduled`, when a record of that list changed; `request.logged` ' +
          'with the request without bodies; `smtp.session` with each SMTP session that ended, as in its list; `emails.changed` with `{ updated, deleted }` at the end of a change of more ' +
          'than 100 emails, in place of an event for each, and when a removal is undone; `bulk.progress` while a change of the inbox runs, as in ' +
          '`GET /dev/inbox/bulk`; `gap` where events were missed and lists have to be read again',
      },
      handler: ({ headers }) => bytesAnswer(live.open(lastEventId(headers)), eventStreamHeaders),
    }),
    list('/dev/requests', 'requests', loggedRequestSchema, {
      summary: 'The last 1,000 requests to /v1 and sends of the library, newest first',
      query: devPageQuery,
      handler: ({ query }) => deps.log.list(query),
    }),
  ]
}

const caType = 'application/x-pem-file'

function noCa({ tls, smtpTls }: ServerDeps['config']): LocalpostError {
  const isGiven = tls !== null || typeof smtpTls === 'object'
  const message = isGiven
    ? 'SMTP uses a certificate that was given to this instance. Trust the authority that issued it.'
    : 'This instance made no certificate, because SMTP is without TLS. Start it with --smtp-tls or --smtps-port.'
  return new LocalpostError('not_found', message)
}

const resetSchema = z.strictObject({
  keep: z.array(z.enum(resetScopes)).max(resetScopes.length).optional().describe('What stays'),
})

const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that buffers the stream would delay the events.
  'x-accel-buffering': 'no',
}

function lastEventId(headers: Pick<Headers, 'get'>): number | undefined {
  const id = headers.get('last-event-id')
  return id !== null && /^\d{1,15}$/.test(id) ? Number(id) : undefined
}
