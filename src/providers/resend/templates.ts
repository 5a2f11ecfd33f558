import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Template } from '../../templates/types.ts'
import type { ProviderParts } from '../provider.ts'
import { toTime } from './conventions.ts'
import { resendFace } from './face.ts'
import { listSchema, pageOf, pageQuery, toList } from './lists.ts'
import { ResendTemplates, type StoredTemplate } from './stored-templates.ts'
import { detailsOf } from './template-details.ts'
import {
  changedTemplateSchema,
  listedTemplateSchema,
  newTemplateSchema,
  removedTemplateSchema,
  templateChangesSchema,
  templateSchema,
  type ResendListedTemplate,
  type ResendTemplate,
} from './template-schema.ts'

const { get, post, patch, del } = defineRoutes({ tag: 'Templates', access: 'key', face: resendFace })

const defaultPage = 20

/** `/resend/templates`: the templates of this account. */
export function templateRoutes(parts: Pick<ProviderParts, 'templates' | 'clock' | 'newUuid'>): Route[] {
  const stored = new ResendTemplates(parts)

  return [
    post('/resend/templates', {
      summary: 'Create a template, as a draft',
      body: { schema: newTemplateSchema, maxBytes: bodyLimits.content },
      success: { status: 201, schema: changedTemplateSchema },
      errors: ['name_taken', 'invalid_template'],
      handler: async ({ body }) => ({ object: 'template', id: await stored.create(body) }),
    }),
    get('/resend/templates', {
      summary: 'List templates, newest first',
      query: pageQuery(defaultPage),
      success: { schema: listSchema(listedTemplateSchema) },
      async handler({ query }) {
        const all = await stored.list()
        const { items, more } = await pageOf('template', all, { limit: defaultPage, ...query })
        return toList(items.map(toListed), more)
      },
    }),
    get('/resend/templates/{id}', {
      summary: 'Get a template, by its id or alias',
      success: { schema: templateSchema },
      handler: async ({ params }) => toDetail(await stored.read(params.id)),
    }),
    patch('/resend/templates/{id}', {
      summary: 'Change a template. Once it is published, that is a draft until it is published again',
      body: { schema: templateChangesSchema, maxBytes: bodyLimits.content },
      success: { schema: changedTemplateSchema },
      errors: ['name_taken', 'invalid_template'],
      handler: async ({ params, body }) => ({ object: 'template', id: await stored.change(params.id, body) }),
    }),
    post('/resend/templates/{id}/publish', {
      summary: 'Publish a template, so that emails can be sent from it',
      success: { schema: changedTemplateSchema },
      errors: ['name_taken'],
      handler: async ({ params }) => ({ object: 'template', id: await stored.publish(params.id) }),
    }),
    post('/resend/templates/{id}/duplicate', {
      summary: 'Copy a template, as a draft without an alias',
      success: { status: 201, schema: changedTemplateSchema },
      handler: async ({ params }) => ({ object: 'template', id: await stored.duplicate(params.id) }),
    }),
    del('/resend/templates/{id}', {
      summary: 'Remove a template',
      success: { schema: removedTemplateSchema },
      async handler({ params }) {
        return { object: 'template', id: await stored.remove(params.id), deleted: true }
      },
    }),
  ]
}

function toListed(template: Template): ResendListedTemplate {
  const { id, name, created, updated } = template
  const { alias, published } = detailsOf(template)
  return {
    id,
    name: name ?? id,
    alias,
    status: published === null ? 'draft' : 'published',
    created_at: toTime(created),
    updated_at: toTime(updated),
    published_at: published === null ? null : toTime(published),
  }
}

function toDetail({ template, draft }: StoredTemplate): ResendTemplate {
  const shown = draft ?? template
  const { from, reply_to, variables, published, version } = detailsOf(shown)
  const { subject, html, text } = shown
  const times = { created_at: toTime(template.created), updated_at: toTime(shown.updated) }
  return {
    object: 'template',
    ...toListed({ ...shown, id: template.id, created: template.created }),
    from,
    subject,
    reply_to,
    html: html ?? '',
    text,
    variables: variables.map(({ key, type, fallback_value = null }) => ({
      key,
      type,
      fallback_value,
      ...times,
    })),
    has_unpublished_versions: draft !== null || published === null,
    current_version_id: version,
  }
}
