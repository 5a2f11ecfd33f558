import { z } from 'zod'
import { LocalpostError, quote, validationError } from '../../core/errors.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notFound } from '../../store/repository.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { serverId, toNumber } from './conventions.ts'
import { postmarkFace } from './face.ts'
import { checkTexts } from './template-check.ts'
import { findTemplate, templateAlias, templateNumber } from './template-ids.ts'
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
import { createSequence } from '../../core/sequence.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Templates', access: 'key', face: postmarkFace })

/** Names of members of our templates in Postmark's API. */
const names = { id: 'Alias', name: 'Name', subject: 'Subject', html: 'HtmlBody', text: 'TextBody' }

/** `/postmark/templates`: the templates of this account. */
export function templateRoutes(parts: Pick<ProviderParts, 'templates' | 'thread' | 'newUuid'>): Route[] {
  const { templates, thread, newUuid } = parts
  // A change reads what is stored first, so two of them may not run at once.
  const inTurn = createSequence()

  /** @throws not_found */
  async function find(idOrAlias: string): Promise<Template> {
    const found = await findTemplate(templates, idOrAlias)
    if (found) return found
    throw notFound('template', idOrAlias)
  }

  return [
    post('/postmark/templates', {
      summary: 'Create a template, in Mustachio',
      body: { schema: newTemplateSchema, maxBytes: bodyLimits.content },
      success: { schema: listedTemplateSchema },
      errors: ['name_taken', 'invalid_template'],
      handler: ({
        body: { Name: name, Alias, Subject: subject, HtmlBody: html = null, TextBody: text = null },
      }) =>
        inTurn(async () => {
          assertBodies(html, text)
          const id = Alias ?? String(toNumber(newUuid()))
          if (await findTemplate(templates, id))
            throw new LocalpostError('name_taken', `A template with the alias ${quote(id)} exists already.`)
          const input: TemplateInput = { name, subject, html, text, engine: 'mustachio' }
          return toListed(await withNames(templates.put(id, input), names))
        }),
    }),
    get('/postmark/templates', {
      summary: 'List templates, by their ids',
      query: templateQuery,
      success: { schema: z.strictObject({ TotalCount: z.int(), Templates: z.array(listedTemplateSchema) }) },
      async handler({ query }) {
        const isNone = query.templatetype === 'Layout' || query.layouttemplate !== undefined
        const all: PostmarkListedTemplate[] = []
        if (!isNone) for await (const template of allOf(templates.list)) all.push(toListed(template))
        const { count, offset } = query
        return { TotalCount: all.length, Templates: all.slice(offset, offset + count) }
      },
    }),
    get('/postmark/templates/{id}', {
      summary: 'Get a template, by its number or its alias',
      success: { schema: templateSchema },
      handler: async ({ params }) => toTemplate(await find(params.id)),
    }),
    put('/postmark/templates/{id}', {
      summary: 'Change a template: what is absent stays',
      body: { schema: templateChangesSchema, maxBytes: bodyLimits.content },
      success: { schema: listedTemplateSchema },
      errors: ['invalid_template'],
      handler: ({ params, body }) =>
        inTurn(async () => {
          const known = await find(params.id)
          if (body.Alias !== undefined && body.Alias !== templateAlias(known.id)) {
            const message = `must be ${quote(templateAlias(known.id))} as it is: it is the id of the template. Create another template`
            throw validationError([{ field: 'Alias', message }])
          }
          const { HtmlBody: html = known.html, TextBody: text = known.text } = body
          assertBodies(html, text)
          const { name, subject, engine, metadata } = known
          const kept = { engine, ...(metadata && { metadata }) }
          const input = { name: body.Name ?? name, subject: body.Subject ?? subject, html, text, ...kept }
          return toListed(await withNames(templates.put(known.id, input), names))
        }),
    }),
    del('/postmark/templates/{id}', {
      summary: 'Remove a template',
      success: { schema: z.strictObject({ ErrorCode: z.literal(0), Message: z.string() }) },
      async handler({ params }) {
        await templates.remove((await find(params.id)).id)
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

/** @throws validation_error */
function assertBodies(html: string | null | undefined, text: string | null | undefined): void {
  if (html || text) return
  throw validationError([{ field: 'HtmlBody', message: 'is missing: give HtmlBody, TextBody or both' }])
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
