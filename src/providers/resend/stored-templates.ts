import { LocalpostError, nullOn } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { createSequence } from '../../core/sequence.ts'
import { notFound } from '../../store/repository.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import {
  detailsOf,
  draftedIdOf,
  draftIdOf,
  draftKey,
  isDraft,
  mergeDetails,
  noDetails,
  toMetadata,
} from './template-details.ts'
import { maxNameLength, type ResendTemplateChanges } from './template-schema.ts'
import { checkVariables } from './template-variables.ts'

/** A template, with what has changed since it was published. */
export interface StoredTemplate {
  readonly template: Template
  readonly draft: Template | null
}

/**
 * The templates of an account as Resend has them. One begins as a draft, from which nothing is sent. Once it is published, it is
 * sent as it was then: changes go to a draft beside it, which replaces it when it is published again.
 *
 * A change reads what is stored first, so changes run one after the other. They return the id of the template.
 */
export class ResendTemplates {
  readonly #templates: Templates
  readonly #now: () => number
  readonly #newUuid: () => string
  readonly #inTurn = createSequence()

  constructor({ templates, clock, newUuid }: Pick<ProviderParts, 'templates' | 'clock' | 'newUuid'>) {
    this.#templates = templates
    this.#now = () => clock.now()
    this.#newUuid = newUuid
  }

  /** All templates, without their drafts and texts; newest first. */
  async list(): Promise<Template[]> {
    const found: Template[] = []
    // Texts may be large.
    for await (const one of allOf(this.#templates.list))
      if (!isDraft(one)) found.push({ ...one, subject: null, html: null, text: null })
    return found.toSorted((one, other) => other.created - one.created || (one.id < other.id ? 1 : -1))
  }

  /**
   * The template of this id or alias, without its draft; null if there is none. The id of a draft finds nothing.
   */
  async find(identifier: string): Promise<Template | null> {
    const known = await this.#byId(identifier)
    return known && !isDraft(known) ? known : this.#byAlias(identifier)
  }

  /** The template of this id or alias, with its draft. @throws not_found */
  async read(identifier: string): Promise<StoredTemplate> {
    const template = await this.find(identifier)
    if (!template) throw notFound('template', identifier)
    const draft = await this.#byId(draftIdOf(template.id))
    return { template, draft: draft && isDraft(draft) ? draft : null }
  }

  /** @throws name_taken, validation_error, invalid_template */
  create(given: ResendTemplateChanges): Promise<string> {
    return this.#inTurn(async () => {
      const id = this.#newUuid()
      await this.#write(id, given, null)
      return id
    })
  }

  /** Changes a template; what is not given stays. @throws not_found, name_taken, validation_error, invalid_template */
  change(identifier: string, given: ResendTemplateChanges): Promise<string> {
    return this.#inTurn(async () => {
      const { template, draft } = await this.read(identifier)
      await this.#write(template.id, given, draft ?? template)
      return template.id
    })
  }

  /** @throws not_found, name_taken */
  publish(identifier: string): Promise<string> {
    return this.#inTurn(async () => {
      const { template, draft } = await this.read(identifier)
      const { name, subject, html, text, engine } = draft ?? template
      const details = { ...detailsOf(draft ?? template), published: this.#now() }
      // Since the draft was stored, another template may have got its alias.
      await this.#assertFree(details.alias, template.id)
      const metadata = toMetadata(details, template.metadata)
      await this.#templates.put(template.id, { name, subject, html, text, engine, metadata })
      if (draft) await this.#templates.remove(draft.id)
      return template.id
    })
  }

  /** Makes a draft of the same content, without an alias. @returns The id of the copy. @throws not_found */
  duplicate(identifier: string): Promise<string> {
    return this.#inTurn(async () => {
      const { template, draft } = await this.read(identifier)
      const { name, subject, html, text, engine } = draft ?? template
      const [id, version] = [this.#newUuid(), this.#newUuid()]
      const details = { ...detailsOf(draft ?? template), alias: null, published: null, version }
      const copyName = `${name ?? template.id} (Copy)`.slice(0, maxNameLength)
      const metadata = toMetadata(details, template.metadata)
      await this.#templates.put(id, { name: copyName, subject, html, text, engine, metadata })
      return id
    })
  }

  /** Removes a template with its draft, or a draft whose template another interface has removed. @throws not_found */
  remove(identifier: string): Promise<string> {
    return this.#inTurn(async () => {
      const known = await this.#byId(identifier)
      const draftedId = known && draftedIdOf(known)
      const isAlone = known !== null && draftedId !== null && (await this.#byId(draftedId)) === null
      const { template, draft } = isAlone ? { template: known, draft: null } : await this.read(identifier)
      if (draft) await this.#templates.remove(draft.id)
      await this.#templates.remove(template.id)
      return template.id
    })
  }

  /** @param before  What it changes: the draft, or the template while it has none; null for a new one. */
  async #write(id: string, given: ResendTemplateChanges, before: Template | null): Promise<void> {
    const input = mergeContent(given, before)
    const details = mergeDetails(given, before ? detailsOf(before) : noDetails, this.#newUuid())
    checkVariables(input, details)
    await this.#assertFree(details.alias, id)
    if (details.published === null) {
      await this.#templates.put(id, { ...input, metadata: toMetadata(details, before?.metadata) })
      return
    }
    await this.#assertDraftIsFree(id)
    const metadata = toMetadata(details, { [draftKey]: id })
    await this.#templates.put(draftIdOf(id), { ...input, metadata })
  }

  #byId(id: string): Promise<Template | null> {
    return nullOn('not_found', this.#templates.get(id))
  }

  async #byAlias(alias: string): Promise<Template | null> {
    const named = (await this.list()).find((one) => detailsOf(one).alias === alias)
    return named ? this.#byId(named.id) : null
  }

  /** @throws name_taken if another template has the alias. */
  async #assertFree(alias: string | null, id: string): Promise<void> {
    const other = alias === null ? null : await this.find(alias)
    if (!other || other.id === id) return
    throw new LocalpostError('name_taken', `Another template has the alias ${quote(alias)}; choose another.`)
  }

  /** @throws name_taken if a template that is no draft has the id of the draft. */
  async #assertDraftIsFree(id: string): Promise<void> {
    const other = await this.#byId(draftIdOf(id))
    if (!other || isDraft(other)) return
    const words = `The draft of this template would be stored as ${quote(other.id)}, which is another template; remove or rename that one.`
    throw new LocalpostError('name_taken', words)
  }
}

/** What is not given stays as it was `before`. */
function mergeContent(given: ResendTemplateChanges, before: Template | null): TemplateInput {
  const { name = before?.name, subject = before?.subject, html = before?.html, text = before?.text } = given
  return { name, subject, html, text, engine: 'handlebars' }
}
