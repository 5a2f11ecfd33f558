import { LocalpostError, nullOn } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { createSequence } from '../../core/sequence.ts'
import type { Template } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import { assertHandlebars } from '../assert-handlebars.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { versionId, versionMark } from './conventions.ts'

/** The parameters of Mailgun that are members of ours. */
const names = { id: 'name', html: 'template', subject: 'headers' }

/** What a version says. */
interface VersionContent {
  readonly template: string
  readonly subject: string | null
  readonly comment: string
}

/** A template, as the copy of its active version, and one of its versions. */
export interface StoredVersion {
  readonly active: Template
  readonly version: Template
}

/** What Mailgun has and our templates have not, as it is in their `metadata`. */
interface TemplateMetadata {
  /** Of a template: the tag of its active version. */
  readonly tag?: string
  /** Of a version. */
  readonly comment?: string
  /** Of a template. */
  readonly description?: string
  /** Of a template. */
  readonly created_by?: string
}

/** What a template has beside its versions. */
type About = Pick<TemplateMetadata, 'description' | 'created_by'>

/**
 * The templates of an account as Mailgun has them: with versions, of which one is active. Each version is a template of ours,
 * `<name>.v.<tag>`, and so is a copy of the active one, `<name>`, from which mail is sent.
 *
 * A `name` is what a request has, in any case; an `id` is that of the template as it is stored. A change reads what is
 * stored first, so changes run one after the other: the private methods that write are only called `#inTurn`.
 *
 * A failure between two writes leaves what was written: a version that is not active yet, or a template without some of its
 * versions. The copy that mail is sent from is written last, and removed last.
 */
export class TemplateStore {
  readonly #templates: ProviderParts['templates']
  readonly #inTurn = createSequence()

  constructor({ templates }: Pick<ProviderParts, 'templates'>) {
    this.#templates = templates
  }

  /** In the order of names. */
  async *all(): AsyncGenerator<Template> {
    for await (const one of allOf(this.#templates.list)) if (!one.id.includes(versionMark)) yield one
  }

  /** The copy of the active version. @throws not_found */
  async get(name: string): Promise<Template> {
    const found = await this.#find(name)
    if (found) return found
    throw new LocalpostError('not_found', `template not found: ${quote(name)}`)
  }

  /** The versions of a template, by their tags. @param active  The template, as {@link TemplateStore.get} returns it. */
  async versions(active: Template): Promise<Template[]> {
    const stored = await this.#storedVersions(active.id)
    if (stored.some((one) => tagOf(one) === tagOf(active))) return stored
    return [...stored, active].toSorted((one, other) => (tagOf(one) < tagOf(other) ? -1 : 1))
  }

  /** @param tag  Default: that of the active version. @throws not_found */
  async withVersion(name: string, tag?: string): Promise<StoredVersion> {
    const active = await this.get(name)
    const wanted = tag ?? tagOf(active)
    const version = await this.#versionOf(active.id, wanted, active)
    if (version) return { active, version }
    throw new LocalpostError('not_found', `version ${quote(wanted)} of the template ${quote(name)} not found`)
  }

  /**
   * The id of the template of ours that a name means, which may be that of a version: `welcome.v.two`. The name itself without
   * one, so that the send says that there is no such template.
   */
  async idOf(name: string): Promise<string> {
    const at = name.indexOf(versionMark)
    if (at === -1) return (await this.#find(name))?.id ?? name
    const tag = name.slice(at + versionMark.length)
    const found = await nullOn('not_found', this.withVersion(name.slice(0, at), tag))
    return found?.version.id ?? name
  }

  /** Creates a template, with its first version, which is active. @throws name_taken, validation_error, invalid_template */
  create(name: string, tag: string, content: VersionContent, about: About): Promise<StoredVersion> {
    return this.#inTurn(async () => {
      const existing = await this.#find(name)
      if (existing) throw new LocalpostError('name_taken', `template ${quote(existing.id)} already exists`)
      const id = name.toLowerCase()
      await this.#activate(id, null, await this.#putVersion(id, null, tag, content), about)
      return this.withVersion(id, tag)
    })
  }

  /** @returns The id of the template. @throws not_found */
  setDescription(name: string, description: string): Promise<string> {
    return this.#inTurn(async () => {
      const { id, name: shown, subject, html, text, engine, metadata } = await this.get(name)
      const changed = { name: shown, subject, html, text, engine, metadata: { ...metadata, description } }
      await this.#templates.put(id, changed)
      return id
    })
  }

  /** Removes a template with its versions. @returns Its id. @throws not_found */
  remove(name: string): Promise<string> {
    return this.#inTurn(async () => {
      const { id } = await this.get(name)
      for (const one of await this.#storedVersions(id)) await this.#templates.remove(one.id)
      await this.#templates.remove(id)
      return id
    })
  }

  /** @throws not_found, name_taken, validation_error, invalid_template */
  addVersion(name: string, tag: string, content: VersionContent, isActive: boolean): Promise<StoredVersion> {
    return this.#inTurn(async () => {
      const active = await this.get(name)
      const { id } = active
      if (await this.#versionOf(id, tag, active))
        throw new LocalpostError('name_taken', `version ${quote(tag)} already exists`)
      const version = await this.#putVersion(id, active, tag, content)
      if (isActive) await this.#activate(id, active, version)
      return this.withVersion(id, tag)
    })
  }

  /**
   * Changes a version, and makes it active if that is wanted. What is not given stays.
   *
   * @returns The id of the template.
   * @throws not_found, validation_error, invalid_template
   */
  changeVersion(
    name: string,
    tag: string,
    given: { [Member in keyof VersionContent]?: VersionContent[Member] | undefined },
    isActive: boolean,
  ): Promise<string> {
    return this.#inTurn(async () => {
      const { active, version: before } = await this.withVersion(name, tag)
      const version = await this.#putVersion(active.id, active, tag, {
        template: given.template ?? before.html ?? '',
        subject: given.subject === undefined ? before.subject : given.subject,
        comment: given.comment ?? metadataOf(before).comment ?? '',
      })
      // Mail is sent from the copy of the active one.
      if (isActive || tagOf(active) === tag) await this.#activate(active.id, active, version)
      return active.id
    })
  }

  /** @returns The id of the template. @throws not_found; state_conflict for the active one */
  removeVersion(name: string, tag: string): Promise<string> {
    return this.#inTurn(async () => {
      const { active, version } = await this.withVersion(name, tag)
      if (tagOf(active) === tag) {
        const message = `version ${quote(tag)} is active. Make another one active first.`
        throw new LocalpostError('state_conflict', message)
      }
      await this.#templates.remove(version.id)
      return active.id
    })
  }

  /** Makes or changes a version. @param active  Null while it is created. @throws validation_error, invalid_template */
  async #putVersion(
    id: string,
    active: Template | null,
    tag: string,
    { template: html, subject, comment }: VersionContent,
  ): Promise<Template> {
    if (active) assertHandlebars(active)
    const before = await this.#versionOf(id, tag, active)
    const content = { html, text: before?.text ?? null, subject, metadata: { comment } }
    return withNames(this.#templates.put(versionId(id, tag), { ...content, engine: 'handlebars' }), names)
  }

  /** Makes a version the one that mail is sent from. @param active  Null while it is created. */
  async #activate(id: string, active: Template | null, version: Template, about: About = {}): Promise<void> {
    if (active) {
      assertHandlebars(active)
      await this.#keepAsVersion(active)
    }
    const { html, subject, text } = version
    const metadata = { ...active?.metadata, ...about, tag: tagOf(version) }
    const content = { name: active?.name ?? null, html, subject, text, metadata }
    await withNames(this.#templates.put(id, { ...content, engine: 'handlebars' }), names)
  }

  /** The stored versions, by their tags. Of a template that was made elsewhere, the active one may be missing. */
  async #storedVersions(id: string): Promise<Template[]> {
    const prefix = `${id.toLowerCase()}${versionMark}`
    const found: Template[] = []
    for await (const one of allOf(this.#templates.list, prefix)) {
      if (!one.id.startsWith(prefix)) break
      found.push(one)
    }
    return found
  }

  /** A version; the template itself if its active version is not stored. @param active  Null while it is created. */
  async #versionOf(id: string, tag: string, active: Template | null): Promise<Template | null> {
    const stored = await this.#findById(versionId(id, tag))
    return stored ?? (active && tagOf(active) === tag ? active : null)
  }

  #findById(id: string): Promise<Template | null> {
    return nullOn('not_found', this.#templates.get(id))
  }

  /** One that was made elsewhere may have capital letters in its id. */
  async #find(name: string): Promise<Template | null> {
    if (name.includes(versionMark)) return null
    return (await this.#findById(name)) ?? (await this.#findById(name.toLowerCase()))
  }

  /** Keeps the active content as a version, if it was stored by another interface and is not a version yet. */
  async #keepAsVersion(active: Template): Promise<void> {
    const id = versionId(active.id, tagOf(active))
    if (await this.#findById(id)) return
    const { html, subject, text, engine } = active
    await this.#templates.put(id, { html, subject, text, engine })
  }
}

/** The tag of the version that a template of ours is, or that is active; one that was not made here has `initial`. */
export function tagOf(template: Template): string {
  const { id } = template
  const at = id.indexOf(versionMark)
  return at === -1 ? (metadataOf(template).tag ?? 'initial') : id.slice(at + versionMark.length)
}

export function metadataOf({ metadata }: Template): TemplateMetadata {
  return metadata ?? {}
}
