import type { Complete } from '../core/complete.ts'
import type { Clock } from '../core/clock.ts'
import { validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { JobThread } from '../core/job-thread.ts'
import type { Ids } from '../core/ids.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { listRecords, readRecord, untilCommitted } from '../store/repository.ts'
import { insert, remove, type Store, update } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { templateInputSchema } from './schema.ts'
import { checkTemplate, type templateJobs } from './engines.ts'
import { templateError } from './output.ts'
import type { TemplateContent, TemplateRecord } from './template.ts'
import { templateCollection, templateContentOf } from './template.ts'
import type { Template, TemplateInput, TemplateVersion } from './types.ts'
import { createVersions } from './versions.ts'

/** Stored templates, for `/dev/templates` and for send requests that name one. */
export interface Templates {
  /**
   * By id, ascending. Ids are names that people choose. A page can also begin after the id of a removed template.
   *
   * @throws invalid_cursor
   */
  list(query?: ListQuery): Promise<ListPage<Template>>
  /** @throws not_found */
  get(id: string): Promise<Template>
  /**
   * Stores a template, in place of the one with this id: members that are not given become null, and the engine
   * `placeholders`; `created` is kept. If its content changes, the old one is kept as a version.
   *
   * @param id  1 to 128 characters of `A-Z a-z 0-9 . _ -`, but not `.` or `..`.
   * @throws validation_error; invalid_template for what is not in the language of the engine.
   */
  put(id: string, input: TemplateInput): Promise<Template>
  /** Removes a template and its versions. @throws not_found */
  remove(id: string): Promise<void>
  /**
   * The earlier versions of a template, newest first, all on one page: the last 20, at most 4 MB together.
   *
   * @throws not_found
   */
  versions(id: string): Promise<ListPage<TemplateVersion>>
  /**
   * Restores the content of a version, like `put`: the replaced content becomes a version.
   *
   * @throws not_found if there is no such template, or no such version of it.
   */
  restore(id: string, version: string): Promise<Template>
}

/** The same, and what sending needs. */
export interface TemplatesForSending extends Templates {
  /** The members that a send request takes from a template; null if there is none. */
  find(id: string): Promise<TemplateContent | null>
}

/** The templates of a store. Those of an engine are checked in the thread where that takes long. */
export function createTemplates(deps: {
  store: Store
  clock: Clock
  ids: Ids
  thread: JobThread<typeof templateJobs>
  pageSize: number
}): TemplatesForSending {
  const { store, clock, thread, pageSize } = deps
  const versions = createVersions(deps)

  async function write(
    id: string,
    known: TemplateRecord | null,
    content: TemplateContent,
    about: Pick<TemplateRecord, 'name' | 'metadata'>,
  ): Promise<Template> {
    const now = clock.now()
    const record: Complete<TemplateRecord> = {
      id,
      version: known?.version ?? 1,
      ...content,
      name: about.name ?? null,
      metadata: about.metadata,
      created: known?.created ?? now,
      updated: now,
    }
    if (!known) await store.commit([insert(templateCollection, record)])
    else {
      const kept = isSame(known, content) ? null : await versions.keep(known)
      await store.commit([update(templateCollection, record), ...(kept?.changes ?? [])], kept?.blobs)
    }
    return toTemplate(record)
  }

  return {
    async list(query) {
      const order = { pageSize, cursorIs: 'the id of a template', isCursor: isTemplateId }
      const page = await listRecords(store, templateCollection, query, order)
      return { ...page, items: page.items.map(toTemplate) }
    },
    get: async (id) => toTemplate(await readRecord(store, templateCollection, id, 'template')),
    async put(id, input) {
      if (!isTemplateId(id)) {
        const message = `${quote(id)} is not an id of templates; use 1 to 128 of the characters A-Z a-z 0-9 . _ -`
        throw validationError([{ field: 'id', message }])
      }
      const given = parseInput(templateInputSchema, input)
      const { subject = null, html = null, text = null, engine = 'placeholders', name, metadata } = given
      const content = { subject, html, text, engine }
      if (engine !== 'placeholders') {
        const faults = await checkTemplate(engine, content, thread)
        if (faults.length > 0) throw templateError(faults)
      }
      return untilCommitted(async () =>
        write(id, await store.get(templateCollection, id), content, { name, metadata }),
      )
    },
    async remove(id) {
      await untilCommitted(async () => {
        const { version } = await readRecord(store, templateCollection, id, 'template')
        // Removed only at this version: a template that changes meanwhile gets one more version, which would not be removed.
        await store.commit([remove(templateCollection, id, version), ...(await versions.removal(id))])
      })
    },
    async versions(id) {
      await readRecord(store, templateCollection, id, 'template')
      const items = await versions.list(id)
      return { items, count: items.length, cursor: null }
    },
    restore: (id, version) =>
      untilCommitted(async () => {
        const known = await readRecord(store, templateCollection, id, 'template')
        return write(id, known, await versions.get(id, version), known)
      }),
    async find(id) {
      const record = await store.get(templateCollection, id)
      return record && templateContentOf(record)
    },
  }
}

// Not `.` or `..`: as the last segment, both mean another path.
const isTemplateId = (text: string): boolean => /^(?!\.{1,2}$)[\w.-]{1,128}$/.test(text)

function isSame(known: TemplateRecord, { subject, html, text, engine }: TemplateContent): boolean {
  const old = templateContentOf(known)
  return old.subject === subject && old.html === html && old.text === text && old.engine === engine
}

function toTemplate(record: TemplateRecord): Complete<Template> {
  const { id, name = null, metadata, created, updated } = record
  return { id, ...templateContentOf(record), name, metadata, created, updated }
}
