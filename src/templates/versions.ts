import type { Complete } from '../core/complete.ts'
import type { Ids } from '../core/ids.ts'
import { notFound } from '../store/repository.ts'
import type { Blob, Change, Collection, Store, StoredRecord } from '../store/store.ts'
import { blobOf, insert, remove } from '../store/store.ts'
import { templateContentOf, type TemplateContent, type TemplateRecord } from './template.ts'
import type { TemplateVersion } from './types.ts'

/** A version as stored; its content is a blob. */
interface VersionRecord extends StoredRecord {
  template: string
  /** Unix time in milliseconds. */
  updated: number
  /** Of its blob. */
  bytes: number
}

/** The versions; the index has those of a template from the oldest on. */
export const templateVersionCollection: Collection<VersionRecord> = {
  name: 'template_versions',
  indexes: { template: { on: ['template', 'id'] } },
}

/** The versions of templates. Each function only reads; the caller commits the changes. */
export interface Versions {
  /** The changes that keep the content of a template as a version, and remove the versions beyond the limits. */
  keep(template: TemplateRecord): Promise<{ changes: Change[]; blobs: Blob[] }>
  /** The changes that remove all versions of a template. */
  removal(template: string): Promise<Change[]>
  /** Newest first. */
  list(template: string): Promise<TemplateVersion[]>
  /** @throws not_found */
  get(template: string, id: string): Promise<TemplateContent>
}

export function createVersions({ store, ids }: { store: Store; ids: Ids }): Versions {
  async function recordsOf(template: string): Promise<VersionRecord[]> {
    const query = { index: 'template', prefix: [template], direction: 'desc', limit: maxVersions } as const
    return (await store.page(templateVersionCollection, query)).records
  }
  /** Null if the version was removed meanwhile. */
  async function readContent(id: string): Promise<TemplateContent | null> {
    const bytes = await store.readBlob(`${id}/content`)
    return bytes && templateContentOf(JSON.parse(bytes.toString()) as TemplateRecord)
  }
  return {
    async keep(known) {
      const { id: template, updated } = known
      const id = ids.next('tv')
      const blob = blobOf(`${id}/content`, JSON.stringify(templateContentOf(known)))
      const record: Omit<Complete<VersionRecord>, 'version'> = { id, template, updated, bytes: blob.size }
      const dropped: Change[] = []
      let bytes = blob.size
      for (const [nth, older] of (await recordsOf(template)).entries()) {
        bytes += older.bytes
        if (nth + 2 > maxVersions || bytes > maxVersionBytes)
          dropped.push(remove(templateVersionCollection, older.id))
      }
      // In JSON, control characters are six times as long: only a large body of those does not fit.
      if (blob.size > maxVersionBytes) return { changes: dropped, blobs: [] }
      return { changes: [insert(templateVersionCollection, record), ...dropped], blobs: [blob] }
    },
    async removal(template) {
      return (await recordsOf(template)).map(({ id }) => remove(templateVersionCollection, id))
    },
    async list(template) {
      const versions: TemplateVersion[] = []
      for (const { id, updated } of await recordsOf(template)) {
        const content = await readContent(id)
        if (content) versions.push({ id, ...content, updated } satisfies Complete<TemplateVersion>)
      }
      return versions
    },
    async get(template, id) {
      const record = await store.get(templateVersionCollection, id)
      const content = record?.template === template ? await readContent(id) : null
      if (!content) throw notFound(`version of the template "${template}" with the id`, id)
      return content
    },
  }
}

const maxVersions = 20
/** Of all versions of one template, as JSON: at least one of a template of the largest size. */
const maxVersionBytes = 4_000_000
