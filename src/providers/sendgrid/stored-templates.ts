import { createSequence } from '../../core/sequence.ts'
import type { Template } from '../../templates/types.ts'
import { assertHandlebars } from '../assert-handlebars.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import type { SendGridNewVersion } from './template-schema.ts'
import {
  changeVersion,
  findVersion,
  newVersion,
  putVersion,
  toTemplateInput,
  type Version,
  versionsOf,
} from './template-versions.ts'

const names = { html: 'html_content', text: 'plain_content' }

/**
 * The templates of an account as SendGrid has them: with versions, of which one may be active.
 *
 * A change reads the template first, so changes run one after the other. A removal by this API does too, because a change that
 * has read the template would bring it back.
 */
export class SendGridTemplates {
  readonly #parts: Pick<ProviderParts, 'templates' | 'clock' | 'newUuid'>
  readonly #inTurn = createSequence()

  constructor(parts: Pick<ProviderParts, 'templates' | 'clock' | 'newUuid'>) {
    this.#parts = parts
  }

  /** Creates a template without versions. */
  create(name: string): Promise<Template> {
    return this.#write({ id: `d-${this.#parts.newUuid().replaceAll('-', '')}` }, name, [])
  }

  /** @throws not_found, invalid_template */
  rename(templateId: string, name: string): Promise<Template> {
    return this.#inTurn(async () => {
      const { id, engine, subject, html, text, metadata } = await this.#parts.templates.get(templateId)
      const kept = { engine, subject, html, text, ...(metadata && { metadata }) }
      return this.#parts.templates.put(id, { name, ...kept })
    })
  }

  /** @throws not_found */
  remove(templateId: string): Promise<void> {
    return this.#inTurn(() => this.#parts.templates.remove(templateId))
  }

  /** The first version of a template becomes active. @throws not_found, validation_error, invalid_template */
  addVersion(templateId: string, input: SendGridNewVersion): Promise<Version> {
    const id = this.#parts.newUuid()
    return this.#changeVersion(templateId, id, (versions) =>
      newVersion(id, input, { now: this.#parts.clock.now(), isFirst: versions.length === 0 }),
    )
  }

  /** What is not given stays. @throws not_found, validation_error, invalid_template */
  changeVersion(templateId: string, id: string, changes: Partial<SendGridNewVersion>): Promise<Version> {
    return this.#changeVersion(templateId, id, (versions) =>
      changeVersion(findVersion(versions, id), changes, this.#parts.clock.now()),
    )
  }

  /** Makes a version the one that is sent. @throws not_found, invalid_template */
  activate(templateId: string, id: string): Promise<Version> {
    return this.#changeVersion(templateId, id, (versions) => ({
      ...findVersion(versions, id),
      isActive: true,
    }))
  }

  /** @throws not_found, invalid_template */
  async removeVersion(templateId: string, id: string): Promise<void> {
    await this.#changeVersions(templateId, (versions) => {
      const removed = findVersion(versions, id)
      return versions.filter((one) => one.id !== removed.id)
    })
  }

  /** Adds or changes the version of this id. */
  async #changeVersion(
    templateId: string,
    id: string,
    change: (versions: readonly Version[]) => Version,
  ): Promise<Version> {
    const put = (versions: readonly Version[]): Version[] => putVersion(versions, change(versions))
    return findVersion(await this.#changeVersions(templateId, put), id)
  }

  #changeVersions(
    templateId: string,
    change: (versions: readonly Version[]) => Version[],
  ): Promise<Version[]> {
    return this.#inTurn(async () => {
      const template = await this.#parts.templates.get(templateId)
      assertHandlebars(template)
      const versions = change(versionsOf(template))
      await this.#write(template, template.name ?? template.id, versions)
      return versions
    })
  }

  #write(
    { id, metadata }: Pick<Template, 'id' | 'metadata'>,
    name: string,
    versions: readonly Version[],
  ): Promise<Template> {
    return withNames(this.#parts.templates.put(id, toTemplateInput(name, versions, metadata)), names)
  }
}
