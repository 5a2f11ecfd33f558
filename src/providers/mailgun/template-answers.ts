import type { Template } from '../../templates/types.ts'
import { toTime } from './conventions.ts'
import type { MailgunTemplate, MailgunVersion } from './template-schema.ts'
import { tagOf } from './template-store.ts'

export function toTemplate({ id, metadata = {}, created }: Template): MailgunTemplate {
  return {
    id,
    name: id,
    description: metadata['description'] ?? '',
    createdAt: toTime(created),
    createdBy: metadata['created_by'] ?? '',
  }
}

export function toVersion(version: Template, active: Template): MailgunVersion {
  const { id, html, subject, engine, metadata = {}, created } = version
  const tag = tagOf(version)
  return {
    id,
    tag,
    engine,
    comment: metadata['comment'] ?? '',
    createdAt: toTime(created),
    active: tagOf(active) === tag,
    template: html ?? '',
    ...(subject !== null && { headers: { Subject: subject } }),
  }
}

export function withoutContent({
  id,
  tag,
  engine,
  comment,
  createdAt,
  active,
}: MailgunVersion): MailgunVersion {
  return { id, tag, engine, comment, createdAt, active }
}
