import type { JobThread } from '../../core/job-thread.ts'
import { templateBytes } from '../../emails/render.ts'
import { renderTemplate, type templateJobs } from '../../templates/engines.ts'
import {
  renderedTextsSchema,
  safeHtmlSchema,
  shownHtmlSchema,
  templateInputSchema,
  templateRenderingSchema,
  templateSchema,
  templateVersionSchema,
} from '../../templates/schema.ts'
import type { Templates } from '../../templates/templates.ts'
import type { bodyJobs } from '../long-bodies.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { devPageQuery, listSchema, toListAnswer } from '../lists.ts'

const { get, post, put, list, remove } = defineRoutes({ tag: 'Templates', access: 'local' })

/** `/dev/templates`. */
export function templateRoutes(
  templates: Templates,
  thread: JobThread<typeof bodyJobs & typeof templateJobs>,
): Route[] {
  return [
    list('/dev/templates', 'templates', templateSchema, {
      summary: 'List stored templates, by id',
      query: devPageQuery,
      handler: ({ query }) => templates.list(query),
    }),
    get('/dev/templates/{id}', {
      summary: 'A stored template',
      success: { schema: templateSchema },
      handler: ({ params }) => templates.get(params.id),
    }),
    put('/dev/templates/{id}', {
      summary: 'Store a template, in place of the one with this id',
      params: { id: { maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' } },
      body: {
        schema: templateInputSchema,
        readBy: 'resource',
        long: 'template',
        maxBytes: bodyLimits.content,
      },
      success: { schema: templateSchema },
      errors: ['invalid_template'],
      handler: ({ params, body }) => templates.put(params.id, body),
    }),
    get('/dev/templates/{id}/versions', {
      summary: 'What a template was before its last 20 changes, all on one page; newest first',
      success: { schema: listSchema('versions', templateVersionSchema) },
      handler: async ({ params }) => toListAnswer('versions', await templates.versions(params.id)),
    }),
    post('/dev/templates/{id}/versions/{version}/restore', {
      summary: 'Store the content of a version again; what it replaces becomes a version',
      success: { schema: templateSchema },
      handler: ({ params }) => templates.restore(params.id, params.version),
    }),
    post('/dev/templates/preview', {
      needs: 'read',
      summary: 'HTML as a preview may show it in a frame: without what makes a browser connect',
      body: { schema: shownHtmlSchema, long: 'html', maxBytes: bodyLimits.content },
      success: { schema: safeHtmlSchema },
      handler: async ({ body: { html } }) => ({
        html: await thread.run('safeHtml', [html], { size: html.length }),
      }),
    }),
    post('/dev/templates/render', {
      needs: 'read',
      summary: 'The texts of a template as they would be sent with this data. Nothing is stored',
      body: { schema: templateRenderingSchema, long: 'rendering', maxBytes: bodyLimits.content },
      success: { schema: renderedTextsSchema },
      errors: ['invalid_template', 'message_too_large'],
      handler: ({ body: { engine, data = {}, ...texts } }) =>
        renderTemplate({ engine, texts, data, maxBytes: templateBytes }, thread),
    }),
    remove('/dev/templates/{id}', {
      summary: 'Remove a template',
      handler: ({ params }) => templates.remove(params.id),
    }),
  ]
}
