import type { Complete } from '../core/complete.ts'
import type { Clock } from '../core/clock.ts'
import { quote, validationError } from '../core/errors.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { listRecords, readRecord, untilCommitted } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { insert, remove, update } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { templateInputSchema } from './schema.ts'
import type { TemplateContent, TemplateRecord } from './template.ts'
import type { Template, TemplateInput } from './types.ts'
import { templateCollection } from './template.ts'

/** Stored templates, for `/dev/templates` and for send requests that name one. */
export interface Templates {
  /**
   * By id, ascending: ids are names that people choose, and a page must be able to begin behind one that is gone.
   *
   * @throws invalid_cursor
   */
  list(query?: ListQuery): Promise<ListPage<Template>>
  /** @throws not_found */
  get(id: string): Promise<Template>
  /**
   * Stores a template, in place of the one with this id: members that are not given become null; `created` is kept.
   *
   * @param id  1 to 128 characters of `A-Z a-z 0-9 . _ -`, but not `.` or `..`.
   * @throws validation_error
   */
  put(id: string, input: TemplateInput): Promise<Template>
  /** @throws not_found */
  remove(id: string): Promise<void>
}

/** The same, and what sends need. */
export interface InnerTemplates extends Templates {
  /** What a send request takes from a template; null where there is none. */
  find(id: string): Promise<TemplateContent | null>
}

export function createTemplates(deps: { store: Store; clock: Clock; pageSize: number }): InnerTemplates {
  const { store, clock, pageSize } = deps
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
      const { subject = null, html = null, text = null } = parseInput(templateInputSchema, input)
      return untilCommitted(async () => {
        const known = await store.get(templateCollection, id)
        const now = clock.now()
        const record: Complete<TemplateRecord> = {
          id,
          version: known?.version ?? 1,
          subject,
          html,
          text,
          created: known?.created ?? now,
          updated: now,
        }
        await store.commit([known ? update(templateCollection, record) : insert(templateCollection, record)])
        return toTemplate(record)
      })
    },
    async remove(id) {
      await readRecord(store, templateCollection, id, 'template')
      await store.commit([remove(templateCollection, id)])
    },
    async find(id) {
      const record = await store.get(templateCollection, id)
      return record && { subject: record.subject, html: record.html, text: record.text }
    },
  }
}

// Not `.` or `..`: as the last segment, both mean another path.
const isTemplateId = (text: string): boolean => /^(?!\.{1,2}$)[\w.-]{1,128}$/.test(text)

function toTemplate({ id, subject, html, text, created, updated }: TemplateRecord): Complete<Template> {
  return { id, subject, html, text, created, updated }
}
