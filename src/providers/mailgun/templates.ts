import { z } from 'zod'
import { LocalpostError, quote } from '../../core/errors.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { readDomain } from './domain-name.ts'
import { mailgunFace } from './face.ts'
import { linksOf, pageOf } from './paging.ts'
import { toTemplate, toVersion, withoutContent } from './template-answers.ts'
import { subjectIn } from './template-headers.ts'
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
import { createTemplateStore, tagOf } from './template-store.ts'
import { createSequence } from '../../core/sequence.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Templates', access: 'key', face: mailgunFace })

const path = '/mailgun/v3/{domain}/templates'
const linksSchema = z.record(z.string(), z.string())
const errors = ['name_taken', 'invalid_template'] as const

/** `/v3/{domain}/templates`: the templates of this account, which all domains share. */
export function templateRoutes(parts: Pick<ProviderParts, 'templates'>): Route[] {
  const store = createTemplateStore(parts)
  // A change reads what is stored first, so two of them may not run at once.
  const inTurn = createSequence()
  return [
    post(path, {
      summary: 'Create a template, with its first version',
      body: { schema: newTemplateSchema, forms: 'only' },
      success: { schema: templateAnswerSchema },
      errors,
      handler: ({ params, body }) =>
        inTurn(async () => {
          readDomain(params.domain)
          const { name, tag = 'initial', template, comment = '', headers, description, createdBy } = body
          for await (const one of store.all())
            if (one.id === name.toLowerCase())
              throw new LocalpostError('name_taken', `template ${quote(one.id)} already exists`)
          await store.putVersion(name, tag, { template, subject: subjectIn(headers), comment })
          await store.activate(name, tag, { description, createdBy })
          const found = await store.get(name)
          const version = toVersion(await store.version(name, tag), found)
          return { message: 'template has been stored', template: { ...toTemplate(found), version } }
        }),
    }),
    get(path, {
      summary: 'List templates, by name',
      query: templateQuerySchema,
      success: { schema: z.strictObject({ items: z.array(templateSchema), paging: linksSchema }) },
      async handler({ params, query: { page = 'first', p = '', limit = 100 }, ...context }) {
        const wanted = { page, pivot: p, limit }
        const items = await pageOf(store.all(), ({ id }) => id, wanted)
        const list = `/v3/${readDomain(params.domain)}/templates`
        const ids = items.map(({ id }) => id)
        return { items: items.map(toTemplate), paging: linksOf(list, ids, wanted, { name: 'p' }, context) }
      },
    }),
    get(`${path}/{name}`, {
      summary: 'Get a template, with its active version if it is asked for',
      query: z.strictObject({ active: z.enum(['yes', 'no']).optional() }),
      success: { schema: templateAnswerSchema },
      async handler({ params, query }) {
        readDomain(params.domain)
        const found = await store.get(params.name)
        if (query.active !== 'yes') return { template: toTemplate(found) }
        const version = toVersion(await store.version(found.id, tagOf(found)), found)
        return { template: { ...toTemplate(found), version } }
      },
    }),
    put(`${path}/{name}`, {
      summary: 'Change the description of a template',
      body: { schema: templateUpdateSchema, forms: 'only' },
      success: { schema: changedTemplateSchema },
      handler: ({ params, body }) =>
        inTurn(async () => {
          readDomain(params.domain)
          const { id } = await store.get(params.name)
          await store.describe(id, body.description)
          return { message: 'template has been updated', template: { name: id } }
        }),
    }),
    del(`${path}/{name}`, {
      summary: 'Remove a template',
      success: { schema: changedTemplateSchema },
      handler: ({ params }) =>
        inTurn(async () => {
          readDomain(params.domain)
          const { id } = await store.get(params.name)
          await store.remove(id)
          return { message: 'template has been deleted', template: { name: id } }
        }),
    }),
    get(`${path}/{name}/versions`, {
      summary: 'List the versions of a template',
      query: templateQuerySchema,
      success: { schema: z.strictObject({ template: templateSchema, paging: linksSchema }) },
      async handler({ params, query: { page = 'first', p = '', limit = 100 }, ...context }) {
        const found = await store.get(params.name)
        const wanted = { page, pivot: p, limit }
        const all = (await store.versions(found.id)).map((one) => toVersion(one, found))
        const versions = await pageOf(all, ({ tag }) => tag, wanted)
        const list = `/v3/${readDomain(params.domain)}/templates/${found.id}/versions`
        const tags = versions.map(({ tag }) => tag)
        const paging = linksOf(list, tags, wanted, { name: 'p' }, context)
        return { template: { ...toTemplate(found), versions: versions.map(withoutContent) }, paging }
      },
    }),
    post(`${path}/{name}/versions`, {
      summary: 'Add a version to a template',
      body: { schema: newVersionSchema, forms: 'only' },
      success: { schema: templateAnswerSchema },
      errors,
      handler: ({ params, body: { tag, template, active, comment = '', headers } }) =>
        inTurn(async () => {
          readDomain(params.domain)
          const { id } = await store.get(params.name)
          if ((await store.versions(id)).some((one) => tagOf(one) === tag))
            throw new LocalpostError('name_taken', `version ${quote(tag)} already exists`)
          await store.putVersion(id, tag, { template, subject: subjectIn(headers), comment })
          if (active === 'yes') await store.activate(id, tag)
          const found = await store.get(id)
          const version = toVersion(await store.version(id, tag), found)
          return {
            message: 'new version of the template has been stored',
            template: { ...toTemplate(found), version },
          }
        }),
    }),
    get(`${path}/{name}/versions/{tag}`, {
      summary: 'Get a version of a template',
      success: { schema: templateAnswerSchema },
      async handler({ params }) {
        readDomain(params.domain)
        const found = await store.get(params.name)
        return {
          template: {
            ...toTemplate(found),
            version: toVersion(await store.version(found.id, params.tag), found),
          },
        }
      },
    }),
    put(`${path}/{name}/versions/{tag}`, {
      summary: 'Change a version of a template, or make it active',
      body: { schema: versionUpdateSchema, forms: 'only' },
      success: { schema: changedTemplateSchema },
      errors,
      handler: ({ params: { domain, name, tag }, body }) =>
        inTurn(async () => {
          readDomain(domain)
          const { html, subject, metadata = {} } = await store.version(name, tag)
          const found = await store.get(name)
          await store.putVersion(found.id, tag, {
            template: body.template ?? html ?? '',
            subject: body.headers === undefined ? subject : subjectIn(body.headers),
            comment: body.comment ?? metadata['comment'] ?? '',
          })
          if (body.active === 'yes' || tagOf(found) === tag) await store.activate(found.id, tag)
          return { message: 'version has been updated', template: { name: found.id, version: { tag } } }
        }),
    }),
    del(`${path}/{name}/versions/{tag}`, {
      summary: 'Remove a version of a template, unless it is active',
      success: { schema: changedTemplateSchema },
      errors: ['state_conflict'],
      handler: ({ params: { domain, name, tag } }) =>
        inTurn(async () => {
          readDomain(domain)
          const found = await store.get(name)
          await store.removeVersion(name, tag)
          return { message: 'version has been deleted', template: { name: found.id, version: { tag } } }
        }),
    }),
  ]
}
