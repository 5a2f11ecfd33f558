import { LocalpostError, nullOn, quote } from '../../core/errors.ts'
import type { Template } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import { assertHandlebars } from '../assert-handlebars.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { versionId, versionMark as mark } from './conventions.ts'

/**
 * The templates of an account as Mailgun has them: with versions, of which one is active. Each version is a template of ours,
 * `<name>.v.<tag>`, and so is a copy of the active one, `<name>`, from which mail is sent.
 */
export interface TemplateStore {
  /** In the order of names. */
  all(): AsyncIterable<Template>
  /** @throws not_found */
  get(name: string): Promise<Template>
  /** @throws not_found */
  version(name: string, tag: string): Promise<Template>
  versions(name: string): Promise<Template[]>
  /** The id of the template of ours that a name means, which may be that of a version: `welcome.v.two`. */
  idOf(name: string): Promise<string>
  /** Makes or changes a version. @throws validation_error, invalid_template */
  putVersion(name: string, tag: string, version: VersionInput): Promise<void>
  /** Makes a version the one that mail is sent from. @throws not_found */
  activate(name: string, tag: string, about?: About): Promise<void>
  /** Changes what is said about a template. @throws not_found */
  describe(name: string, description: string): Promise<void>
  /** @throws not_found; state_conflict for the active one */
  removeVersion(name: string, tag: string): Promise<void>
  /** Removes a template with its versions. @throws not_found */
  remove(name: string): Promise<void>
}

/** A version as it is given. */
export interface VersionInput {
  readonly template: string
  readonly subject: string | null
  readonly comment: string
}

interface About {
  readonly description?: string | undefined
  readonly createdBy?: string | undefined
}

/** The tag of the version that a template of ours is, or that is active; one that was not made here has `initial`. */
export function tagOf({ id, metadata }: Template): string {
  const at = id.indexOf(mark)
  return at === -1 ? (metadata?.['tag'] ?? 'initial') : id.slice(at + mark.length)
}

/** The parameters of Mailgun that are members of ours. */
const names = { id: 'name', html: 'template', subject: 'headers' }

export function createTemplateStore({ templates }: Pick<ProviderParts, 'templates'>): TemplateStore {
  const from = (start: string): AsyncIterable<Template> => allOf(templates.list, start === '' ? null : start)

  async function get(name: string): Promise<Template> {
    const found = name.includes(mark) ? null : await findNamed(name)
    if (found) return found
    throw new LocalpostError('not_found', `template not found: ${quote(name)}`)
  }

  /** One that was made elsewhere may have capital letters in its id. */
  const findNamed = async (name: string): Promise<Template | null> =>
    (await find(name)) ?? (await find(name.toLowerCase()))

  async function find(id: string): Promise<Template | null> {
    return nullOn('not_found', templates.get(id))
  }

  async function version(name: string, tag: string): Promise<Template> {
    const active = await get(name)
    const found = await find(versionId(active.id, tag))
    if (found) return found
    if (tagOf(active) === tag) return active
    throw new LocalpostError('not_found', `version ${quote(tag)} of the template ${quote(name)} not found`)
  }

  async function idOf(name: string): Promise<string> {
    const at = name.indexOf(mark)
    const found = await nullOn(
      'not_found',
      at === -1 ? get(name) : version(name.slice(0, at), name.slice(at + mark.length)),
    )
    // The send says that there is no such template.
    return found?.id ?? name
  }

  async function versions(name: string): Promise<Template[]> {
    const prefix = `${name.toLowerCase()}${mark}`
    const found: Template[] = []
    for await (const one of from(prefix)) {
      if (!one.id.startsWith(prefix)) break
      found.push(one)
    }
    return found
  }

  /** Keeps the active content as a version, if it was stored by another interface and is not a version yet. */
  async function keepActive(active: Template): Promise<void> {
    const id = versionId(active.id, tagOf(active))
    if (await find(id)) return
    const { html, subject, text, engine } = active
    await templates.put(id, { html, subject, text, engine })
  }

  return {
    async *all() {
      for await (const one of from('')) if (!one.id.includes(mark)) yield one
    },
    get,
    version,
    versions,
    idOf,
    async putVersion(name, tag, { template, subject, comment }) {
      const active = await findNamed(name)
      if (active) assertHandlebars(active)
      const before = (await find(versionId(name, tag))) ?? (active && tagOf(active) === tag ? active : null)
      const content = {
        html: template,
        text: before?.text ?? null,
        subject,
        engine: 'handlebars' as const,
        metadata: { comment },
      }
      await withNames(templates.put(versionId(name, tag), content), names)
    },
    async activate(name, tag, about) {
      const { html, subject, text } = (await find(versionId(name, tag))) ?? (await get(name))
      const known = await findNamed(name)
      if (known) {
        assertHandlebars(known)
        await keepActive(known)
      }
      const metadata = {
        ...known?.metadata,
        ...(about?.description !== undefined && { description: about.description }),
        ...(about?.createdBy !== undefined && { created_by: about.createdBy }),
        tag,
      }
      await withNames(
        templates.put(known?.id ?? name.toLowerCase(), {
          name: known?.name ?? null,
          html,
          subject,
          text,
          engine: 'handlebars',
          metadata,
        }),
        names,
      )
    },
    async describe(name, description) {
      const { id, name: shown, subject, html, text, engine, metadata } = await get(name)
      const changed = { name: shown, subject, html, text, engine, metadata: { ...metadata, description } }
      await templates.put(id, changed)
    },
    async removeVersion(name, tag) {
      const { id } = await version(name, tag)
      if (tagOf(await get(name)) !== tag) return templates.remove(id)
      const message = `version ${quote(tag)} is active. Make another one active first.`
      throw new LocalpostError('state_conflict', message)
    },
    async remove(name) {
      const { id } = await get(name)
      for (const one of await versions(id)) await templates.remove(one.id)
      await templates.remove(id)
    },
  }
}
