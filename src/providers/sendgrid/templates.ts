import { z } from 'zod'
import type { ErrorCode } from '../../core/errors.ts'
import { bytesAnswer } from '../../server/answer.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { queryNumber } from '../../server/query-values.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notFound } from '../../store/repository.ts'
import type { Template } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import { assertHandlebars } from '../assert-handlebars.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { sendgridFace } from './face.ts'
import {
  listedTemplateSchema,
  newTemplateSchema,
  newVersionSchema,
  templateChangesSchema,
  templateSchema,
  versionChangesSchema,
  versionSchema,
  type SendGridListedTemplate,
  type SendGridVersion,
} from './template-schema.ts'
import {
  changeVersion,
  newVersion,
  toTemplateInput,
  toListedTemplate,
  toTemplate,
  toVersion,
  type Version,
  versionsOf,
  putVersion,
} from './template-versions.ts'
import { createSequence } from '../../core/sequence.ts'

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
const names = { html: 'html_content', text: 'plain_content' }
const ofContent: readonly ErrorCode[] = ['invalid_template']

/** `/sendgrid/v3/templates`: the templates of this account. */
export function templateRoutes({ templates, newUuid, clock }: ProviderParts): Route[] {
  // A change reads the template first, so two of them may not run at once.
  const inTurn = createSequence()

  const write = (
    template: Pick<Template, 'id' | 'metadata'>,
    name: string,
    versions: readonly Version[],
  ): Promise<Template> =>
    withNames(templates.put(template.id, toTemplateInput(name, versions, template.metadata)), names)

  function findIn(versions: readonly Version[], id: string): Version {
    const found = versions.find((version) => version.id === id)
    if (found) return found
    throw notFound('version', id)
  }

  /** Changes the versions of a template. @param id  Of the version to return. */
  const changeVersions = (
    templateId: string,
    id: string,
    change: (versions: readonly Version[]) => readonly Version[],
  ): Promise<SendGridVersion> =>
    inTurn(async () => {
      const template = await templates.get(templateId)
      assertHandlebars(template)
      const versions = change(versionsOf(template))
      await write(template, template.name ?? template.id, versions)
      return toVersion(findIn(versions, id), templateId)
    })

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
      handler: async ({ body }) =>
        toTemplate(await write({ id: `d-${newUuid().replaceAll('-', '')}` }, body.name, [])),
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
      handler: ({ params, body }) =>
        inTurn(async () => {
          const { id, engine, subject, html, text, metadata } = await templates.get(params.template_id)
          const kept = { engine, subject, html, text, ...(metadata && { metadata }) }
          return toTemplate(await templates.put(id, { name: body.name, ...kept }))
        }),
    }),
    del(`${path}/{template_id}`, {
      summary: 'Remove a template',
      success: { status: 204 },
      async handler({ params }) {
        // A change that has read the template would bring it back.
        await inTurn(() => templates.remove(params.template_id))
        return bytesAnswer(null, {}, 204)
      },
    }),
    post(`${path}/{template_id}/versions`, {
      summary: 'Add a version to a template',
      body: { schema: newVersionSchema, maxBytes: bodyLimits.content },
      success: { status: 201, schema: versionSchema },
      errors: ofContent,
      handler({ params, body }) {
        const id = newUuid()
        return changeVersions(params.template_id, id, (versions) =>
          putVersion(versions, newVersion(id, body, { now: clock.now(), isFirst: versions.length === 0 })),
        )
      },
    }),
    get(`${path}/{template_id}/versions/{version_id}`, {
      summary: 'Get a version of a template',
      success: { schema: versionSchema },
      async handler({ params: { template_id, version_id } }) {
        const versions = versionsOf(await templates.get(template_id))
        return toVersion(findIn(versions, version_id), template_id)
      },
    }),
    patch(`${path}/{template_id}/versions/{version_id}`, {
      summary: 'Change a version of a template',
      body: { schema: versionChangesSchema, maxBytes: bodyLimits.content },
      success: { schema: versionSchema },
      errors: ofContent,
      handler: ({ params: { template_id, version_id }, body }) =>
        changeVersions(template_id, version_id, (versions) =>
          putVersion(versions, changeVersion(findIn(versions, version_id), body, clock.now())),
        ),
    }),
    post(`${path}/{template_id}/versions/{version_id}/activate`, {
      summary: 'Send with this version of a template',
      success: { schema: versionSchema },
      errors: ofContent,
      handler: ({ params: { template_id, version_id } }) =>
        changeVersions(template_id, version_id, (versions) =>
          putVersion(versions, { ...findIn(versions, version_id), isActive: true }),
        ),
    }),
    del(`${path}/{template_id}/versions/{version_id}`, {
      summary: 'Remove a version of a template',
      success: { status: 204 },
      errors: ofContent,
      handler: ({ params: { template_id, version_id } }) =>
        inTurn(async () => {
          const template = await templates.get(template_id)
          assertHandlebars(template)
          const versions = versionsOf(template)
          const { id } = findIn(versions, version_id)
          await write(
            template,
            template.name ?? template.id,
            versions.filter((one) => one.id !== id),
          )
          return bytesAnswer(null, {}, 204)
        }),
    }),
  ]
}
