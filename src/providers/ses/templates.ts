import { z } from 'zod'
import { maxPageSize } from '../../core/lists.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { TemplateTexts } from '../../templates/engines.ts'
import type { TemplateInput } from '../../templates/types.ts'
import { withNames } from '../member-names.ts'
import { notSupported } from '../not-supported.ts'
import type { ProviderParts } from '../provider.ts'
import { templateDataName, toTimestamp } from './conventions.ts'
import { sesFace } from './face.ts'
import { answerEmpty, emptyAnswer, pageQuery, pageSchema } from './pages.ts'
import { SesTemplates } from './stored-templates.ts'
import { readTemplateData } from './template-text.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Templates', access: 'key', face: sesFace })

const path = '/ses/v2/email/templates'
const names = {
  id: 'TemplateName',
  subject: 'TemplateContent.Subject',
  html: 'TemplateContent.Html',
  text: 'TemplateContent.Text',
  data: templateDataName,
}

const text = z.string().max(1_000_000).optional()
const contentSchema = z.strictObject({ Subject: text, Text: text, Html: text })
type SesTemplateContent = z.infer<typeof contentSchema>

/** `/ses/v2/email/templates`: the templates of this account. */
export function templateRoutes(parts: Pick<ProviderParts, 'templates' | 'thread'>): Route[] {
  const { templates } = parts
  const stored = new SesTemplates(parts)

  return [
    post(path, {
      summary: 'CreateEmailTemplate',
      body: {
        schema: z.strictObject({
          TemplateName: z.string().min(1),
          TemplateContent: contentSchema,
          Tags: notSupported('templates have no tags here'),
        }),
        maxBytes: bodyLimits.content,
      },
      success: { schema: emptyAnswer },
      errors: ['name_taken', 'invalid_template'],
      handler: ({ body: { TemplateName, TemplateContent } }) =>
        answerEmpty(withNames(stored.create(TemplateName, toInput(TemplateContent)), names)),
    }),
    get(path, {
      summary: 'ListEmailTemplates',
      query: pageQuery,
      success: {
        schema: pageSchema({
          TemplatesMetadata: z.array(
            z.strictObject({ TemplateName: z.string(), CreatedTimestamp: z.number() }),
          ),
        }),
      },
      errors: ['invalid_cursor'],
      async handler({ query: { NextToken, PageSize = 10 } }) {
        const { items, cursor } = await templates.list({
          cursor: NextToken,
          limit: Math.min(PageSize, maxPageSize),
        })
        return {
          TemplatesMetadata: items.map(({ id, created }) => ({
            TemplateName: id,
            CreatedTimestamp: toTimestamp(created),
          })),
          NextToken: cursor ?? undefined,
        }
      },
    }),
    get(`${path}/{name}`, {
      summary: 'GetEmailTemplate',
      success: { schema: z.strictObject({ TemplateName: z.string(), TemplateContent: contentSchema }) },
      async handler({ params }) {
        const { id, subject, text, html } = await templates.get(params.name)
        const content = { Subject: subject ?? undefined, Text: text ?? undefined, Html: html ?? undefined }
        return { TemplateName: id, TemplateContent: content }
      },
    }),
    put(`${path}/{name}`, {
      summary: 'UpdateEmailTemplate',
      body: { schema: z.strictObject({ TemplateContent: contentSchema }), maxBytes: bodyLimits.content },
      success: { schema: emptyAnswer },
      errors: ['invalid_template'],
      handler: ({ params, body }) =>
        answerEmpty(withNames(stored.replace(params.name, toInput(body.TemplateContent)), names)),
    }),
    del(`${path}/{name}`, {
      summary: 'DeleteEmailTemplate',
      success: { schema: emptyAnswer },
      handler: ({ params }) => answerEmpty(stored.remove(params.name)),
    }),
    post(`${path}/{name}/render`, {
      summary: 'TestRenderEmailTemplate: the subject and bodies with the data filled in',
      needs: 'read',
      body: { schema: z.strictObject({ TemplateData: z.string().max(262_144) }) },
      success: { schema: z.strictObject({ RenderedTemplate: z.string() }) },
      errors: ['invalid_template', 'missing_variable', 'message_too_large'],
      async handler({ params, body }) {
        const template = await templates.get(params.name)
        const rendered = await withNames(stored.render(template, readTemplateData(body.TemplateData)), names)
        const bodies = [rendered.text, rendered.html].filter((one) => one !== '')
        return { RenderedTemplate: [`Subject: ${rendered.subject}`, ...bodies].join('\r\n\r\n') }
      },
    }),
  ]
}

function toInput({ Subject, Text, Html }: SesTemplateContent): TemplateInput & TemplateTexts {
  return { subject: Subject ?? null, text: Text ?? null, html: Html ?? null, engine: 'handlebars' }
}
