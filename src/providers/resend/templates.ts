import { LocalpostError, quote } from '../../core/errors.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import type { ProviderParts } from '../provider.ts'
import { toTime } from './conventions.ts'
import { resendFace } from './face.ts'
import { listSchema, pageOf, pageQuery, toList } from './lists.ts'
import {
  assertDraftIsFree,
  detailsOf,
  draftIdOf,
  findTemplate,
  listTemplates,
  readTemplate,
  toDraftMetadata,
  toMetadata,
  type StoredTemplate,
} from './stored-templates.ts'
import {
  changedTemplateSchema,
  listedTemplateSchema,
  newTemplateSchema,
  removedTemplateSchema,
  templateChangesSchema,
  templateSchema,
  type ResendListedTemplate,
  type ResendTemplate,
  type ResendTemplateChanges,
  type ResendTemplateDetails,
} from './template-schema.ts'
import { checkVariables } from './template-variables.ts'

const { get, post, patch, del } = defineRoutes({ tag: 'Templates', access: 'key', face: resendFace })

/** `/resend/templates`: the templates of this account. One is sent as it was when it was published. */
export function templateRoutes({ templates, clock, newUuid }: ProviderParts): Route[] {
  async function assertFree(alias: string | null, id: string): Promise<void> {
    const other = alias === null ? null : await findTemplate(templates, alias)
    if (!other || other.id === id) return
    throw new LocalpostError('name_taken', `Another template has the alias ${quote(alias)}; choose another.`)
  }

  /** Stores what was given, over what is known: as a draft beside the template, once that is published. */
  async function write(id: string, given: ResendTemplateChanges, known?: Template): Promise<void> {
    const details = { ...(known ? detailsOf(known) : newDetails), version: newUuid() }
    const { alias = details.alias, from = details.from, variables = details.variables } = given
    const { reply_to = details.reply_to } = given
    const { name = known?.name, subject = known?.subject, html = known?.html, text = known?.text } = given
    const input: TemplateInput = { name, subject, html, text, engine: 'handlebars' }
    const changed: ResendTemplateDetails = {
      ...details,
      alias,
      from,
      variables: variables ?? [],
      reply_to: typeof reply_to === 'string' ? [reply_to] : reply_to,
    }
    checkVariables(input, changed)
    await assertFree(alias, id)
    if (details.published === null)
      await templates.put(id, { ...input, metadata: toMetadata(changed, known?.metadata) })
    else {
      await assertDraftIsFree(templates, id)
      await templates.put(draftIdOf(id), { ...input, metadata: toDraftMetadata(changed, id) })
    }
  }

  return [
    post('/resend/templates', {
      summary: 'Create a template, as a draft',
      body: { schema: newTemplateSchema, maxBytes: bodyLimits.content },
      success: { status: 201, schema: changedTemplateSchema },
      errors: ['name_taken', 'invalid_template'],
      async handler({ body }) {
        const id = newUuid()
        await write(id, body)
        return { object: 'template', id }
      },
    }),
    get('/resend/templates', {
      summary: 'List templates, newest first',
      query: pageQuery(20),
      success: { schema: listSchema(listedTemplateSchema) },
      async handler({ query }) {
        const all = await listTemplates(templates)
        const { items, more } = await pageOf('template', all, { limit: 20, ...query })
        return toList(items.map(toListed), more)
      },
    }),
    get('/resend/templates/{id}', {
      summary: 'Get a template, by its id or alias',
      success: { schema: templateSchema },
      handler: async ({ params }) => toDetail(await readTemplate(templates, params.id)),
    }),
    patch('/resend/templates/{id}', {
      summary: 'Change a template. Once it is published, that is a draft until it is published again',
      body: { schema: templateChangesSchema, maxBytes: bodyLimits.content },
      success: { schema: changedTemplateSchema },
      errors: ['name_taken', 'invalid_template'],
      async handler({ params, body }) {
        const { template, draft } = await readTemplate(templates, params.id)
        await write(template.id, body, draft ?? template)
        return { object: 'template', id: template.id }
      },
    }),
    post('/resend/templates/{id}/publish', {
      summary: 'Publish a template, so that emails can be sent from it',
      success: { schema: changedTemplateSchema },
      errors: ['name_taken'],
      async handler({ params }) {
        const { template, draft } = await readTemplate(templates, params.id)
        const { name, subject, html, text, engine } = draft ?? template
        const details = { ...detailsOf(draft ?? template), published: clock.now() }
        // Since the draft was stored, another template may have got its alias.
        await assertFree(details.alias, template.id)
        const metadata = toMetadata(details, template.metadata)
        await templates.put(template.id, { name, subject, html, text, engine, metadata })
        if (draft) await templates.remove(draft.id)
        return { object: 'template', id: template.id }
      },
    }),
    post('/resend/templates/{id}/duplicate', {
      summary: 'Copy a template, as a draft without an alias',
      success: { status: 201, schema: changedTemplateSchema },
      async handler({ params }) {
        const { template, draft } = await readTemplate(templates, params.id)
        const { name, subject, html, text, engine } = draft ?? template
        const id = newUuid()
        const details = { ...detailsOf(draft ?? template), alias: null, published: null, version: newUuid() }
        const copyName = `${name ?? template.id} (Copy)`.slice(0, 255)
        const metadata = toMetadata(details, template.metadata)
        await templates.put(id, { name: copyName, subject, html, text, engine, metadata })
        return { object: 'template', id }
      },
    }),
    del('/resend/templates/{id}', {
      summary: 'Remove a template',
      success: { schema: removedTemplateSchema },
      async handler({ params }) {
        const { template, draft } = await readTemplate(templates, params.id)
        if (draft) await templates.remove(draft.id)
        await templates.remove(template.id)
        return { object: 'template', id: template.id, deleted: true }
      },
    }),
  ]
}

const newDetails: Omit<ResendTemplateDetails, 'version'> = {
  alias: null,
  from: null,
  reply_to: null,
  variables: [],
  published: null,
}

function toListed(template: Template): ResendListedTemplate {
  const { id, name, created, updated } = template
  const { alias, published } = detailsOf(template)
  return {
    id,
    name: name ?? id,
    alias,
    status: published === null ? 'draft' : 'published',
    created_at: toTime(created),
    updated_at: toTime(updated),
    published_at: published === null ? null : toTime(published),
  }
}

function toDetail({ template, draft }: StoredTemplate): ResendTemplate {
  const shown = draft ?? template
  const { alias, from, reply_to, variables, published, version } = detailsOf(shown)
  const { subject, html, text } = shown
  const times = { created_at: toTime(template.created), updated_at: toTime(shown.updated) }
  return {
    object: 'template',
    ...toListed(shown),
    ...times,
    id: template.id,
    alias,
    from,
    subject,
    reply_to,
    html: html ?? '',
    text,
    variables: variables.map(({ key, type, fallback_value = null }) => ({
      key,
      type,
      fallback_value,
      ...times,
    })),
    has_unpublished_versions: draft !== null || published === null,
    current_version_id: version,
  }
}
