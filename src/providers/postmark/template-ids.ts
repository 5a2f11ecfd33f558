import { isErrorOf } from '../../core/errors.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Template } from '../../templates/types.ts'
import { toNumber } from './bounce.ts'

/** A number that Postmark could have given, and that is exact in JSON. */
const numberForm = /^[1-9]\d{0,14}$/

/** The number of a template: its id, where that is a number, and else one that is made of it. */
export function templateNumber(id: string): number {
  return numberForm.test(id) ? Number(id) : toNumber(id)
}

/** The alias of a template; null where its id is a number. */
export function templateAlias(id: string): string | null {
  return numberForm.test(id) ? null : id
}

/** All templates of an account, page by page. */
export async function* templatePages(templates: Pick<Templates, 'list'>): AsyncGenerator<Template[]> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await templates.list({ limit: 100, ...(cursor && { cursor }) })
    yield page.items
    cursor = page.cursor
  }
}

/** The template with this id, alias or number; null if there is none. */
export async function findTemplate(
  templates: Pick<Templates, 'get' | 'list'>,
  idOrAlias: string,
): Promise<Template | null> {
  try {
    return await templates.get(idOrAlias)
  } catch (error) {
    if (!isErrorOf(error, 'not_found')) throw error
  }
  if (!numberForm.test(idOrAlias)) return null
  for await (const page of templatePages(templates)) {
    const found = page.find(({ id }) => templateNumber(id) === Number(idOrAlias))
    if (found) return found
  }
  return null
}
