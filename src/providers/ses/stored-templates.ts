import { LocalpostError, nullOn } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { createSequence } from '../../core/sequence.ts'
import { render, templateBytes } from '../../emails/render.ts'
import { toVariables } from '../../sending/rendering.ts'
import { checkTemplate, renderTemplate, type TemplateTexts } from '../../templates/engines.ts'
import { templateError } from '../../templates/output.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import type { ProviderParts } from '../provider.ts'
import { sesRendering } from './template-text.ts'

/**
 * The templates of an account as SES changes and renders them. A change reads the template first, so changes run one after the
 * other.
 */
export class SesTemplates {
  readonly #templates: ProviderParts['templates']
  readonly #thread: ProviderParts['thread']
  readonly #inTurn = createSequence()

  constructor({ templates, thread }: Pick<ProviderParts, 'templates' | 'thread'>) {
    this.#templates = templates
    this.#thread = thread
  }

  /** @throws name_taken, validation_error, invalid_template */
  async create(id: string, content: TemplateInput & TemplateTexts): Promise<void> {
    await this.#inTurn(async () => {
      if (await nullOn('not_found', this.#templates.get(id)))
        throw new LocalpostError('name_taken', `Template ${quote(id)} exists already.`)
      await this.#put(id, content)
    })
  }

  /** @throws not_found, validation_error, invalid_template */
  async replace(id: string, content: TemplateInput & TemplateTexts): Promise<void> {
    await this.#inTurn(async () => {
      await this.#templates.get(id)
      await this.#put(id, content)
    })
  }

  /** @throws not_found */
  async remove(id: string): Promise<void> {
    await this.#inTurn(() => this.#templates.remove(id))
  }

  /** Fills a template, as it is stored. @throws missing_variable, invalid_template, message_too_large */
  async render(template: Template, data: Record<string, unknown>): Promise<TemplateTexts> {
    const { subject, html, text, engine } = template
    const texts = { subject: subject ?? '', html: html ?? '', text: text ?? '' }
    if (engine === 'placeholders') return render(texts, toVariables(data))
    const request = { engine, texts, data, options: sesRendering, maxBytes: templateBytes }
    return renderTemplate(request, this.#thread)
  }

  async #put(id: string, content: TemplateInput & TemplateTexts): Promise<void> {
    const faults = await checkTemplate('handlebars', content, this.#thread, sesRendering.helpers)
    if (faults.length > 0) throw templateError(faults)
    await this.#templates.put(id, content)
  }
}
