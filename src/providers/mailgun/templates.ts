import { z } from 'zod'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { readDomain } from './conventions.ts'
import { mailgunFace } from './face.ts'
import { type LinkContext, linksOf, pageOf } from './paging.ts'
import { subjectIn, toTemplate, toVersion, withVersion } from './template-answers.ts'
import {
  changedTemplateSchema,
  newTemplateSchema,
  newVersionSchema,
  templateAnswerSchema,
  templateQuerySchema,
  templateSchema,
  templateUpdateSchema,
  versionUpdateSchema,
} from './template-schema.ts'
import { tagOf, TemplateStore } from './template-store.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Templates', access: 'key', face: mailgunFace })

const path = '/mailgun/v3/{domain}/templates'
const linksSchema = z.record(z.string(), z.string())
const errors = ['name_taken', 'invalid_template'] as const

/** `/v3/{domain}/templates`: the templates of this account, which all domains share. */
export function templateRoutes(parts: Pick<ProviderParts, 'templates'>): Route[] {
  const store = new TemplateStore(parts)

  return [
    post(path, {
      summary: 'Create a template, with its first version',
      body: { schema: newTemplateSchema, forms: 'only' },
      success: { schema: templateAnswerSchema },
      errors,
      async handler({ body: { name, tag = 'initial', template, comment = '', headers, ...about } }) {
        const { description, createdBy } = about
        const content = { template, subject: subjectIn(headers), comment }
        const facts = {
          ...(description !== undefined && { description }),
          ...(createdBy !== undefined && { created_by: createdBy }),
        }
        const stored = await store.create(name, tag, content, facts)
        return { message: 'template has been stored', template: withVersion(stored) }
      },
    }),
    get(path, {
      summary: 'List templates, by name',
      query: templateQuerySchema,
      success: { schema: z.strictObject({ items: z.array(templateSchema), paging: linksSchema }) },
      async handler({ params, query, ...context }) {
        const list = `/v3/${readDomain(params.domain)}/templates`
        const { items, paging } = await listed(list, store.all(), ({ id }) => id, query, context)
        return { items: items.map(toTemplate), paging }
      },
    }),
    get(`${path}/{name}`, {
      summary: 'Get a template, with its active version if it is asked for',
      query: z.strictObject({ active: z.enum(['yes', 'no']).optional() }),
      success: { schema: templateAnswerSchema },
      async handler({ params, query }) {
        if (query.active !== 'yes') return { template: toTemplate(await store.get(params.name)) }
        return { template: withVersion(await store.withVersion(params.name)) }
      },
    }),
    put(`${path}/{name}`, {
      summary: 'Change the description of a template',
      body: { schema: templateUpdateSchema, forms: 'only' },
      success: { schema: changedTemplateSchema },
      async handler({ params, body }) {
        const name = await store.setDescription(params.name, body.description)
        return { message: 'template has been updated', template: { name } }
      },
    }),
    del(`${path}/{name}`, {
      summary: 'Remove a template',
      success: { schema: changedTemplateSchema },
      async handler({ params }) {
        const name = await store.remove(params.name)
        return { message: 'template has been deleted', template: { name } }
      },
    }),
    get(`${path}/{name}/versions`, {
      summary: 'List the versions of a template',
      query: templateQuerySchema,
      success: { schema: z.strictObject({ template: templateSchema, paging: linksSchema }) },
      async handler({ params, query, ...context }) {
        const found = await store.get(params.name)
        const list = `/v3/${readDomain(params.domain)}/templates/${found.id}/versions`
        const { items, paging } = await listed(list, await store.versions(found), tagOf, query, context)
        const versions = items.map((one) => {
          const { template: _template, headers: _headers, ...facts } = toVersion(one, found)
          return facts
        })
        return { template: { ...toTemplate(found), versions }, paging }
      },
    }),
    post(`${path}/{name}/versions`, {
      summary: 'Add a version to a template',
      body: { schema: newVersionSchema, forms: 'only' },
      success: { schema: templateAnswerSchema },
      errors,
      async handler({ params, body: { tag, template, active, comment = '', headers } }) {
        const content = { template, subject: subjectIn(headers), comment }
        const stored = await store.addVersion(params.name, tag, content, active === 'yes')
        return { message: 'new version of the template has been stored', template: withVersion(stored) }
      },
    }),
    get(`${path}/{name}/versions/{tag}`, {
      summary: 'Get a version of a template',
      success: { schema: templateAnswerSchema },
      handler: async ({ params: { name, tag } }) => ({
        template: withVersion(await store.withVersion(name, tag)),
      }),
    }),
    put(`${path}/{name}/versions/{tag}`, {
      summary: 'Change a version of a template, or make it active',
      body: { schema: versionUpdateSchema, forms: 'only' },
      success: { schema: changedTemplateSchema },
      errors,
      async handler({ params: { name, tag }, body: { template, comment, active, headers } }) {
        const content = { template, comment, ...(headers !== undefined && { subject: subjectIn(headers) }) }
        const id = await store.changeVersion(name, tag, content, active === 'yes')
        return { message: 'version has been updated', template: { name: id, version: { tag } } }
      },
    }),
    del(`${path}/{name}/versions/{tag}`, {
      summary: 'Remove a version of a template, unless it is active',
      success: { schema: changedTemplateSchema },
      errors: ['state_conflict'],
      async handler({ params: { name, tag } }) {
        const id = await store.removeVersion(name, tag)
        return { message: 'version has been deleted', template: { name: id, version: { tag } } }
      },
    }),
  ]
}

/** One page of a list, with its links. @param list  Its path below the URL of this API. */
async function listed<T>(
  list: string,
  all: AsyncIterable<T> | Iterable<T>,
  keyOf: (item: T) => string,
  { page = 'first', p = '', limit = 100 }: z.infer<typeof templateQuerySchema>,
  context: LinkContext,
): Promise<{ items: T[]; paging: ReturnType<typeof linksOf> }> {
  const wanted = { page, pivot: p, limit }
  const items = await pageOf(all, keyOf, wanted)
  return { items, paging: linksOf(list, items.map(keyOf), wanted, { name: 'p' }, context) }
}
