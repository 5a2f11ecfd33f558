import { z } from 'zod'
import { LocalpostError, quote, validationError } from '../../core/errors.ts'
import { isErrorOf } from '../../core/errors.ts'
import { render } from '../../emails/render.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { TemplateInput } from '../../templates/types.ts'
import type { ProviderParts } from '../provider.ts'
import { withNames } from '../send.ts'
import { rowsOf } from './rows.ts'
import { pageQuery } from './page-query.ts'
import { templateContentSchema, templateSchema, templateUpdateSchema } from './template-schema.ts'
import { readTemplateData, templateFault } from './template-text.ts'
import type { SesTemplateContent } from './types.ts'
import { toTimestamp } from './words.ts'

const { get, post, put, del } = rowsOf('Templates')

const nothing = z.strictObject({})
const path = '/ses/v2/email/templates'
const names = {
  id: 'TemplateName',
  subject: 'TemplateContent.Subject',
  html: 'TemplateContent.Html',
  text: 'TemplateContent.Text',
}

/** `/ses/v2/email/templates`: the templates of this account. */
export function templateRoutes({ templates }: Pick<ProviderParts, 'templates'>): Route[] {
  return [
    post(path, {
      summary: 'CreateEmailTemplate',
      body: { schema: templateSchema, maxBytes: bodyLimits.content },
      success: { schema: nothing },
      errors: ['name_taken'],
      async handler({ body: { TemplateName, TemplateContent } }) {
        const input = toInput(TemplateContent)
        const isThere = await templates.get(TemplateName).then(
          () => true,
          (error: unknown) => {
            if (isErrorOf(error, 'not_found')) return false
            throw error
          },
        )
        if (isThere) throw new LocalpostError('name_taken', `Template ${quote(TemplateName)} exists already.`)
        await withNames(templates.put(TemplateName, input), names)
        return {}
      },
    }),
    get(path, {
      summary: 'ListEmailTemplates',
      query: pageQuery,
      success: {
        schema: z.strictObject({
          TemplatesMetadata: z.array(
            z.strictObject({ TemplateName: z.string(), CreatedTimestamp: z.number() }),
          ),
          NextToken: z.string().optional(),
        }),
      },
      errors: ['invalid_cursor'],
      async handler({ query: { NextToken, PageSize = 10 } }) {
        const { items, cursor } = await templates.list({ cursor: NextToken, limit: PageSize })
        return {
          TemplatesMetadata: items.map(({ id, created }) => ({
            TemplateName: id,
            CreatedTimestamp: toTimestamp(created),
          })),
          ...(cursor === null ? {} : { NextToken: cursor }),
        }
      },
    }),
    get(`${path}/{name}`, {
      summary: 'GetEmailTemplate',
      success: {
        schema: z.strictObject({ TemplateName: z.string(), TemplateContent: templateContentSchema }),
      },
      async handler({ params }) {
        const { id, subject, text, html } = await templates.get(params.name)
        return { TemplateName: id, TemplateContent: toContent({ subject, text, html }) }
      },
    }),
    put(`${path}/{name}`, {
      summary: 'UpdateEmailTemplate',
      body: { schema: templateUpdateSchema, maxBytes: bodyLimits.content },
      success: { schema: nothing },
      async handler({ params, body }) {
        await templates.get(params.name)
        await withNames(templates.put(params.name, toInput(body.TemplateContent)), names)
        return {}
      },
    }),
    del(`${path}/{name}`, {
      summary: 'DeleteEmailTemplate',
      success: { schema: nothing },
      async handler({ params }) {
        await templates.remove(params.name)
        return {}
      },
    }),
    post(`${path}/{name}/render`, {
      summary: 'TestRenderEmailTemplate: the subject and bodies with the data filled in',
      needs: 'read',
      body: { schema: z.strictObject({ TemplateData: z.string().max(262_144) }) },
      success: { schema: z.strictObject({ RenderedTemplate: z.string() }) },
      async handler({ params, body }) {
        const { subject, html, text } = await templates.get(params.name)
        const parts = { subject: subject ?? '', html: html ?? '', text: text ?? '' }
        const rendered = render(parts, readTemplateData(body.TemplateData))
        const bodies = [rendered.text, rendered.html].filter((one) => one !== '')
        return { RenderedTemplate: [`Subject: ${rendered.subject}`, ...bodies].join('\r\n\r\n') }
      },
    }),
  ]
}

/** @throws validation_error for what Localpost cannot fill in. */
function toInput({ Subject, Text, Html }: SesTemplateContent): TemplateInput {
  for (const [name, text] of Object.entries({ Subject, Text, Html })) {
    const message = templateFault(text ?? '')
    if (message !== null) throw validationError([{ field: `TemplateContent.${name}`, message }])
  }
  return { subject: Subject ?? null, text: Text ?? null, html: Html ?? null }
}

function toContent({
  subject,
  text,
  html,
}: Record<'subject' | 'text' | 'html', string | null>): SesTemplateContent {
  return {
    ...(subject === null ? {} : { Subject: subject }),
    ...(text === null ? {} : { Text: text }),
    ...(html === null ? {} : { Html: html }),
  }
}
