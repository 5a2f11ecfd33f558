import type { z } from 'zod'
import { LocalpostError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { createSequence } from '../../core/sequence.ts'
import { notFound } from '../../store/repository.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { toNumber } from './conventions.ts'
import { findTemplate, templateAlias } from './template-ids.ts'
import type { newTemplateSchema, templateChangesSchema, templateQuery } from './template-schema.ts'

/** Names of members of our templates in Postmark's API. */
const names = { id: 'Alias', name: 'Name', subject: 'Subject', html: 'HtmlBody', text: 'TextBody' }

/**
 * The templates of an account as Postmark has them.
 *
 * A change reads what is stored first, so changes and removals by this API run one after the other.
 */
export class PostmarkTemplates {
  readonly #templates: ProviderParts['templates']
  readonly #newUuid: () => string
  readonly #inTurn = createSequence()

  constructor({ templates, newUuid }: Pick<ProviderParts, 'templates' | 'newUuid'>) {
    this.#templates = templates
    this.#newUuid = newUuid
  }

  /**
   * Those that a query asks for, without their texts: none if it asks for layouts, or for templates with one, because
   * none is stored here.
   */
  async list(
    query: Pick<z.output<typeof templateQuery>, 'templatetype' | 'layouttemplate'>,
  ): Promise<Template[]> {
    const all: Template[] = []
    if (query.templatetype === 'Layout' || query.layouttemplate !== undefined) return all
    for await (const template of allOf(this.#templates.list))
      all.push({ ...template, html: null, text: null })
    return all
  }

  /** @throws not_found */
  async get(idOrAlias: string): Promise<Template> {
    const found = await findTemplate(this.#templates, idOrAlias)
    if (found) return found
    throw notFound('template', idOrAlias)
  }

  /** @throws name_taken, validation_error, invalid_template */
  create(given: z.output<typeof newTemplateSchema>): Promise<Template> {
    const { Name: name, Alias, Subject: subject, HtmlBody: html = null, TextBody: text = null } = given
    return this.#inTurn(async () => {
      assertBodies(html, text)
      const id = Alias ?? String(toNumber(this.#newUuid()))
      if (await findTemplate(this.#templates, id))
        throw new LocalpostError('name_taken', `A template with the alias ${quote(id)} exists already.`)
      return this.#put(id, { name, subject, html, text, engine: 'mustachio' })
    })
  }

  /** What is absent stays. @throws not_found, validation_error, invalid_template */
  change(idOrAlias: string, given: z.output<typeof templateChangesSchema>): Promise<Template> {
    return this.#inTurn(async () => {
      const { id, name, subject, engine, metadata, ...known } = await this.get(idOrAlias)
      const alias = templateAlias(id)
      if (given.Alias !== undefined && given.Alias !== alias) {
        const message = `must be ${quote(alias)} as it is: it is the id of the template. Create another template`
        throw validationError([{ field: 'Alias', message }])
      }
      const { HtmlBody: html = known.html, TextBody: text = known.text } = given
      assertBodies(html, text)
      const kept = { engine, ...(metadata && { metadata }) }
      return this.#put(id, {
        name: given.Name ?? name,
        subject: given.Subject ?? subject,
        html,
        text,
        ...kept,
      })
    })
  }

  /** @throws not_found */
  remove(idOrAlias: string): Promise<void> {
    return this.#inTurn(async () => this.#templates.remove((await this.get(idOrAlias)).id))
  }

  #put(id: string, input: TemplateInput): Promise<Template> {
    return withNames(this.#templates.put(id, input), names)
  }
}

/** @throws validation_error */
function assertBodies(html: string | null | undefined, text: string | null | undefined): void {
  if (html || text) return
  throw validationError([{ field: 'HtmlBody', message: 'is missing: give HtmlBody, TextBody or both' }])
}
