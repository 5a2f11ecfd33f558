import { z } from 'zod'
import { checkInput } from '../../core/validate.ts'
import { notFound } from '../../store/repository.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import { uuidOf } from '../uuid.ts'
import { ownPrefix } from './conventions.ts'
import type {
  SendGridListedTemplate,
  SendGridNewVersion,
  SendGridTemplate,
  SendGridVersion,
} from './template-schema.ts'

// A template of ours has the texts of the active version. The others, and what SendGrid knows of each version, are in its
// metadata, so that every change is one commit.

/** A version as the metadata of its template has it; the one that is active has its texts in the template itself. */
const keptVersionSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  updated: z.number(),
  generate_plain_content: z.boolean(),
  editor: z.enum(['code', 'design']),
  test_data: z.string(),
  content: z
    .strictObject({ subject: z.string(), html_content: z.string(), plain_content: z.string() })
    .nullable(),
})
type KeptVersion = z.infer<typeof keptVersionSchema>

/** A version with its texts. */
export interface Version extends Omit<KeptVersion, 'content'> {
  readonly content: NonNullable<KeptVersion['content']>
  readonly isActive: boolean
}

const versionsName = `${ownPrefix}versions`
const keptSchema = z.array(keptVersionSchema)

/** The versions of a template. One that was stored otherwise has its texts as its only version. */
export function versionsOf(template: Template): Version[] {
  const content = {
    subject: template.subject ?? '',
    html_content: template.html ?? '',
    plain_content: template.text ?? '',
  }
  const kept = readKept(template.metadata?.[versionsName])
  if (kept) return kept.map((one) => ({ ...one, content: one.content ?? content, isActive: !one.content }))
  if (Object.values(content).every((text) => text === '')) return []
  const { id, name, updated } = template
  return [{ id: uuidOf(id), name: name ?? id, updated, ...defaults, content, isActive: true }]
}

const defaults = { generate_plain_content: true, editor: 'code', test_data: '' } as const

function readKept(json: string | undefined): KeptVersion[] | null {
  if (json === undefined) return null
  try {
    const read = checkInput(keptSchema, JSON.parse(json))
    return 'value' in read ? read.value : null
  } catch {
    return null
  }
}

/** @throws not_found */
export function findVersion(versions: readonly Version[], id: string): Version {
  const found = versions.find((version) => version.id === id)
  if (found) return found
  throw notFound('version', id)
}

/** The template that has these versions, at most one of which is active. */
export function toTemplateInput(
  name: string,
  versions: readonly Version[],
  metadata: Template['metadata'],
): TemplateInput {
  const active = versions.find(({ isActive }) => isActive)?.content
  const kept = versions.map(({ isActive, content, ...facts }): KeptVersion => ({
    ...facts,
    content: isActive ? null : content,
  }))
  return {
    engine: 'handlebars',
    name,
    subject: active?.subject || null,
    html: active?.html_content || null,
    text: active?.plain_content || null,
    metadata: { ...metadata, [versionsName]: JSON.stringify(kept) },
  }
}

/** A new version; the first of a template is active, whatever the input says. */
export function newVersion(
  id: string,
  input: SendGridNewVersion,
  { now, isFirst }: { now: number; isFirst: boolean },
): Version {
  const { name, subject, html_content = '', plain_content = '', active } = input
  return {
    id,
    name,
    updated: now,
    generate_plain_content: input.generate_plain_content ?? defaults.generate_plain_content,
    editor: input.editor ?? defaults.editor,
    test_data: input.test_data ?? defaults.test_data,
    content: { subject, html_content, plain_content },
    isActive: isFirst || active === 1,
  }
}

/** A version with other members. */
export function changeVersion(version: Version, changes: Partial<SendGridNewVersion>, now: number): Version {
  const { content } = version
  return {
    id: version.id,
    name: changes.name ?? version.name,
    updated: now,
    generate_plain_content: changes.generate_plain_content ?? version.generate_plain_content,
    editor: changes.editor ?? version.editor,
    test_data: changes.test_data ?? version.test_data,
    content: {
      subject: changes.subject ?? content.subject,
      html_content: changes.html_content ?? content.html_content,
      plain_content: changes.plain_content ?? content.plain_content,
    },
    isActive: changes.active === undefined ? version.isActive : changes.active === 1,
  }
}

/** The versions with this one instead of the one of its id, or added at the end. If it is active, no other one is. */
export function putVersion(versions: readonly Version[], version: Version): Version[] {
  const all = versions.some(({ id }) => id === version.id) ? versions : [...versions, version]
  return all.map((one) => {
    if (one.id === version.id) return version
    return version.isActive ? { ...one, isActive: false } : one
  })
}

const toTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')

/** A version as SendGrid's API shows it. */
export function toVersion(
  { content, isActive, updated, ...facts }: Version,
  template_id: string,
): SendGridVersion {
  return { ...facts, ...content, template_id, active: isActive ? 1 : 0, updated_at: toTime(updated) }
}

export function toTemplate(template: Template): SendGridTemplate {
  const { id, name, updated } = template
  return {
    id,
    name: name ?? id,
    generation: 'dynamic',
    updated_at: toTime(updated),
    versions: versionsOf(template).map((version) => toVersion(version, id)),
  }
}

/** The same without the bodies, which may have megabytes. */
export function toListedTemplate(template: Template): SendGridListedTemplate {
  const { versions, ...facts } = toTemplate(template)
  const listed = versions.map(
    ({ html_content: _html, plain_content: _text, test_data: _data, ...one }) => one,
  )
  return { ...facts, versions: listed }
}
