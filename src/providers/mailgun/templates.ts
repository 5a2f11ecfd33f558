import { z } from 'zod'
import { LocalpostError, quote, validationError } from '../../core/errors.ts'
import { createSequence } from '../../core/sequence.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import type { Template } from '../../templates/types.ts'
import type { ProviderParts } from '../provider.ts'
import { readDomain, toTime } from './conventions.ts'
import { mailgunFace } from './face.ts'
import { readObject } from './json-parameter.ts'
import { linksOf, pageOf } from './paging.ts'
import {
  changedTemplateSchema,
  newTemplateSchema,
  newVersionSchema,
  templateAnswerSchema,
  templateQuerySchema,
  templateSchema,
  templateUpdateSchema,
  versionUpdateSchema,
  type MailgunTemplate,
  type MailgunVersion,
} from './template-schema.ts'
import { tagOf, TemplateStore } from './template-store.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Templates', access: 'key', face: mailgunFace })

const path = '/mailgun/v3/{domain}/templates'
const linksSchema = z.record(z.string(), z.string())
const errors = ['name_taken', 'invalid_template'] as const

/** `/v3/{domain}/templates`: the templates of this account, which all domains share. */
export function templateRoutes(parts: Pick<ProviderParts, 'templates'>): Route[] {
  const store = new TemplateStore(parts)
  // A change reads what is stored first, so two of them may not run at once.
  const inTurn = createSequence()

  /** A template with one of its versions, as answers have it. */
  async function withVersion(name: string, tag: string): Promise<MailgunTemplate> {
    const found = await store.get(name)
    return { ...toTemplate(found), version: toVersion(await store.version(found.id, tag), found) }
  }

  return [
    post(path, {
      summary: 'Create a template, with its first version',
      body: { schema: newTemplateSchema, forms: 'only' },
      success: { schema: templateAnswerSchema },
      errors,
      handler: ({ body }) =>
        inTurn(async () => {
          const { name, tag = 'initial', template, comment = '', headers, description, createdBy } = body
          for await (const one of store.all())
            if (one.id === name.toLowerCase())
              throw new LocalpostError('name_taken', `template ${quote(one.id)} already exists`)
          await store.putVersion(name, tag, { template, subject: subjectIn(headers), comment })
          await store.activate(name, tag, {
            ...(description !== undefined && { description }),
            ...(createdBy !== undefined && { created_by: createdBy }),
          })
          return { message: 'template has been stored', template: await withVersion(name, tag) }
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
        const found = await store.get(params.name)
        if (query.active !== 'yes') return { template: toTemplate(found) }
        return { template: await withVersion(found.id, tagOf(found)) }
      },
    }),
    put(`${path}/{name}`, {
      summary: 'Change the description of a template',
      body: { schema: templateUpdateSchema, forms: 'only' },
      success: { schema: changedTemplateSchema },
      handler: ({ params, body }) =>
        inTurn(async () => {
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
        const listed = versions.map(({ template: _template, headers: _headers, ...facts }) => facts)
        const list = `/v3/${readDomain(params.domain)}/templates/${found.id}/versions`
        const tags = versions.map(({ tag }) => tag)
        const paging = linksOf(list, tags, wanted, { name: 'p' }, context)
        return { template: { ...toTemplate(found), versions: listed }, paging }
      },
    }),
    post(`${path}/{name}/versions`, {
      summary: 'Add a version to a template',
      body: { schema: newVersionSchema, forms: 'only' },
      success: { schema: templateAnswerSchema },
      errors,
      handler: ({ params, body: { tag, template, active, comment = '', headers } }) =>
        inTurn(async () => {
          const { id } = await store.get(params.name)
          if ((await store.versions(id)).some((one) => tagOf(one) === tag))
            throw new LocalpostError('name_taken', `version ${quote(tag)} already exists`)
          await store.putVersion(id, tag, { template, subject: subjectIn(headers), comment })
          if (active === 'yes') await store.activate(id, tag)
          const message = 'new version of the template has been stored'
          return { message, template: await withVersion(id, tag) }
        }),
    }),
    get(`${path}/{name}/versions/{tag}`, {
      summary: 'Get a version of a template',
      success: { schema: templateAnswerSchema },
      handler: async ({ params }) => ({ template: await withVersion(params.name, params.tag) }),
    }),
    put(`${path}/{name}/versions/{tag}`, {
      summary: 'Change a version of a template, or make it active',
      body: { schema: versionUpdateSchema, forms: 'only' },
      success: { schema: changedTemplateSchema },
      errors,
      handler: ({ params: { name, tag }, body }) =>
        inTurn(async () => {
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
      handler: ({ params: { name, tag } }) =>
        inTurn(async () => {
          const found = await store.get(name)
          await store.removeVersion(name, tag)
          return { message: 'version has been deleted', template: { name: found.id, version: { tag } } }
        }),
    }),
  ]
}

/** The subject of a template, which is in `headers`. @throws validation_error */
function subjectIn(headers: string | undefined): string | null {
  if (headers === undefined) return null
  let subject: string | null = null
  for (const [name, value] of readObject('headers', headers)) {
    if (name.toLowerCase() !== 'subject' || typeof value !== 'string')
      throw validationError([
        {
          field: 'headers',
          message: `must have a text as Subject alone, not ${quote(name)}: give it with the email`,
        },
      ])
    subject = value
  }
  return subject
}

function toTemplate({ id, metadata = {}, created }: Template): MailgunTemplate {
  return {
    id,
    name: id,
    description: metadata['description'] ?? '',
    createdAt: toTime(created),
    createdBy: metadata['created_by'] ?? '',
  }
}

function toVersion(version: Template, active: Template): MailgunVersion {
  const { id, html, subject, engine, metadata = {}, created } = version
  const tag = tagOf(version)
  return {
    id,
    tag,
    engine,
    comment: metadata['comment'] ?? '',
    createdAt: toTime(created),
    active: tagOf(active) === tag,
    template: html ?? '',
    ...(subject !== null && { headers: { Subject: subject } }),
  }
}
