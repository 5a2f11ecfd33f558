import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { Template } from '../../templates/types.ts'
import { toTime } from './conventions.ts'
import { readObject } from './json-parameter.ts'
import type { MailgunTemplate, MailgunVersion } from './template-schema.ts'
import { metadataOf, type StoredVersion, tagOf } from './template-store.ts'

/** The subject of a template, which is in `headers`. @throws validation_error */
export function subjectIn(headers: string | undefined): string | null {
  if (headers === undefined) return null
  let subject: string | null = null
  for (const [name, value] of readObject('headers', headers)) {
    if (name.toLowerCase() !== 'subject' || typeof value !== 'string') {
      const message = `must have a text as Subject alone, not ${quote(name)}: give it with the email`
      throw validationError([{ field: 'headers', message }])
    }
    subject = value
  }
  return subject
}

/** A template with one of its versions. */
export function withVersion({ active, version }: StoredVersion): MailgunTemplate {
  return { ...toTemplate(active), version: toVersion(version, active) }
}

/** A template, without its versions. */
export function toTemplate(template: Template): MailgunTemplate {
  const { id, created } = template
  const { description = '', created_by = '' } = metadataOf(template)
  return {
    id,
    name: id,
    description,
    createdAt: toTime(created),
    createdBy: created_by,
  }
}

/** A version. @param active  The template, as the copy of its active version. */
export function toVersion(version: Template, active: Template): MailgunVersion {
  const { id, html, subject, engine, created } = version
  const tag = tagOf(version)
  return {
    id,
    tag,
    engine,
    comment: metadataOf(version).comment ?? '',
    createdAt: toTime(created),
    active: tagOf(active) === tag,
    template: html ?? '',
    ...(subject !== null && { headers: { Subject: subject } }),
  }
}
