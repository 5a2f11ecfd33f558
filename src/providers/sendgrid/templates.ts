import { z } from 'zod'
import type { ErrorCode } from '../../core/errors.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { queryNumber } from '../../server/query-values.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import { answerNothing, sendgridFace } from './face.ts'
import { SendGridTemplates } from './stored-templates.ts'
import {
  listedTemplateSchema,
  newTemplateSchema,
  newVersionSchema,
  templateChangesSchema,
  templateSchema,
  versionChangesSchema,
  versionSchema,
  type SendGridListedTemplate,
} from './template-schema.ts'
import { findVersion, toListedTemplate, toTemplate, toVersion, versionsOf } from './template-versions.ts'

const { get, post, patch, del } = defineRoutes({ tag: 'Templates', access: 'key', face: sendgridFace })

const path = '/sendgrid/v3/templates'
const pageSchema = z.strictObject({
  result: z.array(listedTemplateSchema),
  _metadata: z.strictObject({
    self: z.string(),
    next: z.string().optional().describe('The path of the next page'),
    count: z.int(),
  }),
})
const ofContent: readonly ErrorCode[] = ['invalid_template']

/** `/sendgrid/v3/templates`: the templates of this account. */
export function templateRoutes(parts: ProviderParts): Route[] {
  const { templates } = parts
  const stored = new SendGridTemplates(parts)

  async function all(): Promise<SendGridListedTemplate[]> {
    const found: SendGridListedTemplate[] = []
    for await (const template of allOf(templates.list)) found.push(toListedTemplate(template))
    return found
  }

  return [
    post(path, {
      summary: 'Create a template, which is empty until it has a version',
      body: { schema: newTemplateSchema, maxBytes: bodyLimits.small },
      success: { status: 201, schema: templateSchema },
      handler: async ({ body }) => toTemplate(await stored.create(body.name)),
    }),
    get(path, {
      summary: 'List templates, by id: all of them, or pages with `page_size`',
      query: z.strictObject({
        generations: z.enum(['legacy', 'dynamic', 'legacy,dynamic', 'dynamic,legacy']).optional(),
        page_size: queryNumber(1, 200).optional(),
        page_token: z.string().min(1).max(200).optional(),
      }),
      success: {
        schema: z.union([pageSchema, z.strictObject({ templates: z.array(listedTemplateSchema) })]),
      },
      errors: ['invalid_cursor'],
      async handler({ query: { generations = 'dynamic', page_size, page_token } }) {
        const isLegacy = generations === 'legacy'
        if (page_size === undefined) return { templates: isLegacy ? [] : await all() }
        if (isLegacy) return { result: [], _metadata: { self: path, count: 0 } }
        const { items, count, cursor } = await templates.list({ limit: page_size, cursor: page_token })
        const next = `${path}?page_size=${page_size}&page_token=${cursor}`
        return {
          result: items.map(toListedTemplate),
          _metadata: { self: path, count, ...(cursor !== null && { next }) },
        }
      },
    }),
    get(`${path}/{template_id}`, {
      summary: 'Get a template with its versions',
      success: { schema: templateSchema },
      handler: async ({ params }) => toTemplate(await templates.get(params.template_id)),
    }),
    patch(`${path}/{template_id}`, {
      summary: 'Change the name of a template',
      body: { schema: templateChangesSchema, maxBytes: bodyLimits.small },
      success: { schema: templateSchema },
      errors: ofContent,
      handler: async ({ params, body }) => toTemplate(await stored.rename(params.template_id, body.name)),
    }),
    del(`${path}/{template_id}`, {
      summary: 'Remove a template',
      success: { status: 204 },
      handler: ({ params }) => answerNothing(stored.remove(params.template_id)),
    }),
    post(`${path}/{template_id}/versions`, {
      summary: 'Add a version to a template',
      body: { schema: newVersionSchema, maxBytes: bodyLimits.content },
      success: { status: 201, schema: versionSchema },
      errors: ofContent,
      handler: async ({ params: { template_id }, body }) =>
        toVersion(await stored.addVersion(template_id, body), template_id),
    }),
    get(`${path}/{template_id}/versions/{version_id}`, {
      summary: 'Get a version of a template',
      success: { schema: versionSchema },
      async handler({ params: { template_id, version_id } }) {
        const versions = versionsOf(await templates.get(template_id))
        return toVersion(findVersion(versions, version_id), template_id)
      },
    }),
    patch(`${path}/{template_id}/versions/{version_id}`, {
      summary: 'Change a version of a template',
      body: { schema: versionChangesSchema, maxBytes: bodyLimits.content },
      success: { schema: versionSchema },
      errors: ofContent,
      handler: async ({ params: { template_id, version_id }, body }) =>
        toVersion(await stored.changeVersion(template_id, version_id, body), template_id),
    }),
    post(`${path}/{template_id}/versions/{version_id}/activate`, {
      summary: 'Send with this version of a template',
      success: { schema: versionSchema },
      errors: ofContent,
      handler: async ({ params: { template_id, version_id } }) =>
        toVersion(await stored.activate(template_id, version_id), template_id),
    }),
    del(`${path}/{template_id}/versions/{version_id}`, {
      summary: 'Remove a version of a template',
      success: { status: 204 },
      errors: ofContent,
      handler: ({ params: { template_id, version_id } }) =>
        answerNothing(stored.removeVersion(template_id, version_id)),
    }),
  ]
}
