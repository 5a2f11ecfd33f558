import { z } from 'zod'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Template } from '../../templates/types.ts'
import type { ProviderParts } from '../provider.ts'
import { serverId } from './conventions.ts'
import { postmarkFace } from './face.ts'
import { PostmarkTemplates } from './stored-templates.ts'
import { checkTexts } from './template-check.ts'
import { templateAlias, templateNumber } from './template-ids.ts'
import {
  listedTemplateSchema,
  newTemplateSchema,
  templateChangesSchema,
  templateCheckSchema,
  templateQuery,
  templateSchema,
  templateTestSchema,
  type PostmarkListedTemplate,
  type PostmarkTemplate,
} from './template-schema.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Templates', access: 'key', face: postmarkFace })

/** `/postmark/templates`: the templates of this account. */
export function templateRoutes(parts: Pick<ProviderParts, 'templates' | 'thread' | 'newUuid'>): Route[] {
  const { thread } = parts
  const stored = new PostmarkTemplates(parts)

  return [
    post('/postmark/templates', {
      summary: 'Create a template, in Mustachio',
      body: { schema: newTemplateSchema, maxBytes: bodyLimits.content },
      success: { schema: listedTemplateSchema },
      errors: ['name_taken', 'invalid_template'],
      handler: async ({ body }) => toListed(await stored.create(body)),
    }),
    get('/postmark/templates', {
      summary: 'List templates, by their ids',
      query: templateQuery,
      success: { schema: z.strictObject({ TotalCount: z.int(), Templates: z.array(listedTemplateSchema) }) },
      async handler({ query }) {
        const { count, offset } = query
        const all = await stored.list(query)
        return { TotalCount: all.length, Templates: all.slice(offset, offset + count).map(toListed) }
      },
    }),
    get('/postmark/templates/{id}', {
      summary: 'Get a template, by its number or its alias',
      success: { schema: templateSchema },
      handler: async ({ params }) => toTemplate(await stored.get(params.id)),
    }),
    put('/postmark/templates/{id}', {
      summary: 'Change a template: what is absent stays',
      body: { schema: templateChangesSchema, maxBytes: bodyLimits.content },
      success: { schema: listedTemplateSchema },
      errors: ['invalid_template'],
      handler: async ({ params, body }) => toListed(await stored.change(params.id, body)),
    }),
    del('/postmark/templates/{id}', {
      summary: 'Remove a template',
      success: { schema: z.strictObject({ ErrorCode: z.literal(0), Message: z.string() }) },
      async handler({ params }) {
        await stored.remove(params.id)
        return { ErrorCode: 0, Message: `Template ${params.id} removed.` }
      },
    }),
    post('/postmark/templates/validate', {
      needs: 'read',
      summary: 'Check the texts of a template, and render them; nothing is stored',
      body: { schema: templateTestSchema, maxBytes: bodyLimits.content },
      success: { schema: templateCheckSchema },
      errors: ['invalid_template', 'message_too_large'],
      handler: ({ body }) => checkTexts(body, thread),
    }),
  ]
}

function toListed({ id, name }: Template): PostmarkListedTemplate {
  return {
    TemplateId: templateNumber(id),
    Name: name ?? id,
    Alias: templateAlias(id),
    Active: true,
    TemplateType: 'Standard',
    LayoutTemplate: null,
  }
}

function toTemplate(template: Template): PostmarkTemplate {
  const { subject, html, text } = template
  return {
    ...toListed(template),
    Subject: subject ?? '',
    HtmlBody: html,
    TextBody: text,
    AssociatedServerId: serverId,
  }
}
