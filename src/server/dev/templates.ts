import type { JobThread } from '../../core/job-thread.ts'
import {
  safeHtmlSchema,
  shownHtmlSchema,
  templateInputSchema,
  templateSchema,
  templateVersionSchema,
} from '../../templates/schema.ts'
import type { Templates } from '../../templates/templates.ts'
import type { bodyJobs } from '../long-bodies.ts'
import type { Route } from '../route.ts'
import { bodyLimits, defineRoute } from '../route.ts'
import { deletedSchema, listSchema, pageQuery, toList } from '../schemas.ts'

/** `/dev/templates`. */
export function templateRoutes(templates: Templates, thread: JobThread<typeof bodyJobs>): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/templates',
      summary: 'List stored templates, by id',
      query: pageQuery,
      success: { schema: listSchema('templates', templateSchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('templates', await templates.list(query)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/templates/{id}',
      summary: 'A stored template',
      success: { schema: templateSchema },
      errors: ['not_found'],
      handler: ({ params }) => templates.get(params.id),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      path: '/dev/templates/{id}',
      summary: 'Store a template, in place of the one with this id',
      params: { id: { maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' } },
      body: {
        schema: templateInputSchema,
        readBy: 'resource',
        long: 'template',
        maxBytes: bodyLimits.content,
      },
      success: { schema: templateSchema },
      handler: ({ params, body }) => templates.put(params.id, body),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/templates/{id}/versions',
      summary: 'What a template was before its last 20 changes, all on one page; newest first',
      success: { schema: listSchema('versions', templateVersionSchema) },
      errors: ['not_found'],
      handler: async ({ params }) => toList('versions', await templates.versions(params.id)),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/templates/{id}/versions/{version}/restore',
      summary: 'Store the content of a version again; what it replaces becomes a version',
      success: { schema: templateSchema },
      errors: ['not_found'],
      handler: ({ params }) => templates.restore(params.id, params.version),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/templates/preview',
      summary: 'HTML as a preview may show it in a frame: without what makes a browser connect',
      body: { schema: shownHtmlSchema, long: 'html', maxBytes: bodyLimits.content },
      success: { schema: safeHtmlSchema },
      handler: async ({ body: { html } }) => ({
        html: await thread.run('safeHtml', [html], { size: html.length }),
      }),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/templates/{id}',
      summary: 'Remove a template',
      success: { schema: deletedSchema },
      errors: ['not_found'],
      async handler({ params }) {
        await templates.remove(params.id)
        return { deleted: 1 }
      },
    }),
  ]
}

const common = { tag: 'Templates', access: 'local' } as const
