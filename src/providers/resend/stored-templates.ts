import { LocalpostError, nullOn } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import {
  templateDetailsSchema,
  type ResendTemplateChanges,
  type ResendTemplateDetails,
} from './template-schema.ts'
import { checkVariables } from './template-variables.ts'

/** A template, with what has changed since it was published. */
export interface StoredTemplate {
  readonly template: Template
  readonly draft: Template | null
}

/**
 * The templates of an account as Resend has them. One begins as a draft, from which nothing is sent. Once it is published, it is
 * sent as it was then: changes go to a draft beside it, which replaces it when it is published again.
 */
export class ResendTemplates {
  readonly #templates: Templates
  readonly #now: () => number
  readonly #newUuid: () => string

  constructor({ templates, clock, newUuid }: Pick<ProviderParts, 'templates' | 'clock' | 'newUuid'>) {
    this.#templates = templates
    this.#now = () => clock.now()
    this.#newUuid = newUuid
  }

  /** @returns Its id. @throws name_taken, validation_error, invalid_template */
  async create(given: ResendTemplateChanges): Promise<string> {
    const id = this.#newUuid()
    await this.#write(id, given, null)
    return id
  }

  /** Changes a template; what is not given stays. @throws not_found, name_taken, validation_error, invalid_template */
  async change(identifier: string, given: ResendTemplateChanges): Promise<string> {
    const { template, draft } = await readTemplate(this.#templates, identifier)
    await this.#write(template.id, given, draft ?? template)
    return template.id
  }

  /** @throws not_found, name_taken */
  async publish(identifier: string): Promise<string> {
    const { template, draft } = await readTemplate(this.#templates, identifier)
    const { name, subject, html, text, engine } = draft ?? template
    const details = { ...detailsOf(draft ?? template), published: this.#now() }
    // Since the draft was stored, another template may have got its alias.
    await this.#assertFree(details.alias, template.id)
    const metadata = toMetadata(details, template.metadata)
    await this.#templates.put(template.id, { name, subject, html, text, engine, metadata })
    if (draft) await this.#templates.remove(draft.id)
    return template.id
  }

  /** Makes a draft of the same content, without an alias. @returns Its id. @throws not_found */
  async duplicate(identifier: string): Promise<string> {
    const { template, draft } = await readTemplate(this.#templates, identifier)
    const { name, subject, html, text, engine } = draft ?? template
    const [id, version] = [this.#newUuid(), this.#newUuid()]
    const details = { ...detailsOf(draft ?? template), alias: null, published: null, version }
    const copyName = `${name ?? template.id} (Copy)`.slice(0, 255)
    const metadata = toMetadata(details, template.metadata)
    await this.#templates.put(id, { name: copyName, subject, html, text, engine, metadata })
    return id
  }

  /** Removes a template with its draft. @throws not_found */
  async remove(identifier: string): Promise<string> {
    const { template, draft } = await readTemplate(this.#templates, identifier)
    if (draft) await this.#templates.remove(draft.id)
    await this.#templates.remove(template.id)
    return template.id
  }

  /** @param known  What it changes: the draft, or the template while it has none; null for a new one. */
  async #write(id: string, given: ResendTemplateChanges, known: Template | null): Promise<void> {
    const { name = known?.name, subject = known?.subject, html = known?.html, text = known?.text } = given
    const input: TemplateInput = { name, subject, html, text, engine: 'handlebars' }
    const before = known ? detailsOf(known) : newDetails
    const { alias = before.alias, from = before.from, reply_to = before.reply_to } = given
    const details: ResendTemplateDetails = {
      alias,
      from,
      reply_to: typeof reply_to === 'string' ? [reply_to] : reply_to,
      variables: given.variables === undefined ? before.variables : (given.variables ?? []),
      published: before.published,
      version: this.#newUuid(),
    }
    checkVariables(input, details)
    await this.#assertFree(alias, id)
    if (details.published === null)
      await this.#templates.put(id, { ...input, metadata: toMetadata(details, known?.metadata) })
    else {
      await assertDraftIsFree(this.#templates, id)
      const metadata = toMetadata(details, { [draftKey]: id })
      await this.#templates.put(draftIdOf(id), { ...input, metadata })
    }
  }

  async #assertFree(alias: string | null, id: string): Promise<void> {
    const other = alias === null ? null : await findTemplate(this.#templates, alias)
    if (!other || other.id === id) return
    throw new LocalpostError('name_taken', `Another template has the alias ${quote(alias)}; choose another.`)
  }
}

const newDetails: Omit<ResendTemplateDetails, 'version'> = {
  alias: null,
  from: null,
  reply_to: null,
  variables: [],
  published: null,
}

/** The metadata of a template that has its details. */
const detailsKey = 'resend'
/** Says in the metadata of a draft which template it is the draft of. */
const draftKey = 'resend_draft_of'

/** The draft of a published template has an id of its own, because emails are sent from what was published. */
const draftIdOf = (id: string): string => `${id}.draft`
const isDraft = ({ id, metadata }: Template): boolean => {
  const of = metadata?.[draftKey]
  return of !== undefined && id === draftIdOf(of)
}

/** @param kept  Metadata that other interfaces have set, which stay with what is published; or what marks a draft. */
function toMetadata(details: ResendTemplateDetails, kept: Template['metadata']): Record<string, string> {
  return { ...kept, [detailsKey]: JSON.stringify(details) }
}

/** The details of a template. One that came by another interface is published and has no variables to check. */
export function detailsOf({ id, metadata, updated }: Template): ResendTemplateDetails {
  const kept = metadata?.[detailsKey]
  if (kept !== undefined) {
    try {
      const details = templateDetailsSchema.safeParse(JSON.parse(kept))
      if (details.success) return details.data
    } catch {
      // It was changed by another interface, as details of another form were.
    }
  }
  return { alias: null, from: null, reply_to: null, variables: [], published: updated, version: id }
}

/** @throws name_taken if a template that is no draft has the id of the draft. */
async function assertDraftIsFree(templates: Templates, id: string): Promise<void> {
  const other = await nullOn('not_found', templates.get(draftIdOf(id)))
  if (!other || isDraft(other)) return
  const words = `The draft of this template would be stored as ${quote(other.id)}, which is another template; remove or rename that one.`
  throw new LocalpostError('name_taken', words)
}

/** All templates, without their drafts; newest first. */
export async function listTemplates(templates: Templates): Promise<Template[]> {
  const found: Template[] = []
  // Without their texts, which may be large.
  for await (const one of allOf(templates.list))
    if (!isDraft(one)) found.push({ ...one, subject: null, html: null, text: null })
  return found.toSorted((one, other) => other.created - one.created || (one.id < other.id ? 1 : -1))
}

/** The template of this id or alias; null if there is none. */
export async function findTemplate(templates: Templates, identifier: string): Promise<Template | null> {
  const known = await nullOn('not_found', templates.get(identifier))
  if (known && !isDraft(known)) return known
  const named = (await listTemplates(templates)).find((one) => detailsOf(one).alias === identifier)
  return named ? nullOn('not_found', templates.get(named.id)) : null
}

/** The same with its draft. @throws not_found */
export async function readTemplate(templates: Templates, identifier: string): Promise<StoredTemplate> {
  const template = (await findTemplate(templates, identifier)) ?? (await templates.get(identifier))
  const draft = await nullOn('not_found', templates.get(draftIdOf(template.id)))
  return { template, draft: draft && isDraft(draft) ? draft : null }
}
