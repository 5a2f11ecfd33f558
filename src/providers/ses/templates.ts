import { z } from 'zod'
import { LocalpostError, nullOn, quote } from '../../core/errors.ts'
import { render, templateBytes } from '../../emails/render.ts'
import { toVariables } from '../../sending/rendering.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { checkTemplate, renderTemplate, type TemplateTexts } from '../../templates/engines.ts'
import { templateError } from '../../templates/output.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { toTimestamp } from './conventions.ts'
import { answerEmpty, emptyAnswer } from './empty-answer.ts'
import { sesFace } from './face.ts'
import { pageQuery } from './page-query.ts'
import {
  templateContentSchema,
  templateSchema,
  templateUpdateSchema,
  type SesTemplateContent,
} from './template-schema.ts'
import { readTemplateData, sesRendering } from './template-text.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Templates', access: 'key', face: sesFace })

const path = '/ses/v2/email/templates'
const names = {
  id: 'TemplateName',
  subject: 'TemplateContent.Subject',
  html: 'TemplateContent.Html',
  text: 'TemplateContent.Text',
  data: 'TemplateData',
}

/** `/ses/v2/email/templates`: the templates of this account. */
export function templateRoutes({ templates, thread }: Pick<ProviderParts, 'templates' | 'thread'>): Route[] {
  async function write(id: string, content: SesTemplateContent): Promise<void> {
    const input = toInput(content)
    const store = async (): Promise<void> => {
      const faults = await checkTemplate('handlebars', input, thread, sesRendering.helpers)
      if (faults.length > 0) throw templateError(faults)
      await templates.put(id, input)
    }
    await withNames(store(), names)
  }

  async function renderStored(template: Template, data: Record<string, unknown>): Promise<TemplateTexts> {
    const { subject, html, text, engine } = template
    const texts = { subject: subject ?? '', html: html ?? '', text: text ?? '' }
    if (engine === 'placeholders') return render(texts, toVariables(data))
    return renderTemplate({ engine, texts, data, options: sesRendering, maxBytes: templateBytes }, thread)
  }

  return [
    post(path, {
      summary: 'CreateEmailTemplate',
      body: { schema: templateSchema, maxBytes: bodyLimits.content },
      success: { schema: emptyAnswer },
      errors: ['name_taken', 'invalid_template'],
      async handler({ body: { TemplateName, TemplateContent } }) {
        if (await nullOn('not_found', templates.get(TemplateName)))
          throw new LocalpostError('name_taken', `Template ${quote(TemplateName)} exists already.`)
        await write(TemplateName, TemplateContent)
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
      success: { schema: emptyAnswer },
      errors: ['invalid_template'],
      async handler({ params, body }) {
        await templates.get(params.name)
        await write(params.name, body.TemplateContent)
        return {}
      },
    }),
    del(`${path}/{name}`, {
      summary: 'DeleteEmailTemplate',
      success: { schema: emptyAnswer },
      handler: ({ params }) => answerEmpty(templates.remove(params.name)),
    }),
    post(`${path}/{name}/render`, {
      summary: 'TestRenderEmailTemplate: the subject and bodies with the data filled in',
      needs: 'read',
      body: { schema: z.strictObject({ TemplateData: z.string().max(262_144) }) },
      success: { schema: z.strictObject({ RenderedTemplate: z.string() }) },
      errors: ['invalid_template', 'missing_variable', 'message_too_large'],
      async handler({ params, body }) {
        const template = await templates.get(params.name)
        const rendered = await withNames(renderStored(template, readTemplateData(body.TemplateData)), names)
        const bodies = [rendered.text, rendered.html].filter((one) => one !== '')
        return { RenderedTemplate: [`Subject: ${rendered.subject}`, ...bodies].join('\r\n\r\n') }
      },
    }),
  ]
}

function toInput({ Subject, Text, Html }: SesTemplateContent): TemplateInput & TemplateTexts {
  return { subject: Subject ?? null, text: Text ?? null, html: Html ?? null, engine: 'handlebars' }
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
