import { z } from 'zod'
import { checkInput } from '../../core/validate.ts'
import type { Template, TemplateInput } from '../../templates/types.ts'
import { uuidOf } from '../uuid.ts'
import { ownPrefix } from './conventions.ts'
import {
  keptVersionSchema,
  type SendGridKeptVersion,
  type SendGridListedTemplate,
  type SendGridNewVersion,
  type SendGridTemplate,
  type SendGridVersion,
} from './template-schema.ts'

// A template of ours has the texts of the active version. The others, and what SendGrid knows of each version, are in its
// metadata, so that every change is one commit.

/** A version with its texts. */
export interface Version extends Omit<SendGridKeptVersion, 'content'> {
  readonly content: NonNullable<SendGridKeptVersion['content']>
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
  const version = {
    id: uuidOf(id),
    name: name ?? id,
    updated,
    ...defaults,
  }
  return [{ ...version, content, isActive: true }]
}

const defaults = { generate_plain_content: true, editor: 'code', test_data: '' } as const

function readKept(json: string | undefined): SendGridKeptVersion[] | null {
  if (json === undefined) return null
  try {
    const read = checkInput(keptSchema, JSON.parse(json))
    return 'value' in read ? read.value : null
  } catch {
    return null
  }
}

/** The template that has these versions, at most one of which is active. */
export function toTemplateInput(
  name: string,
  versions: readonly Version[],
  metadata: Template['metadata'],
): TemplateInput {
  const active = versions.find(({ isActive }) => isActive)?.content
  const kept = versions.map(({ isActive, content, ...facts }): SendGridKeptVersion => ({
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
  const version = {
    id,
    name: input.name,
    updated: now,
    ...defaults,
    content: { subject: input.subject, html_content: '', plain_content: '' },
    isActive: false,
  }
  return { ...changeVersion(version, input, now), isActive: isFirst || input.active === 1 }
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

const toTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')
