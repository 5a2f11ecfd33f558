import { nullOn } from '../../core/errors.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Template } from '../../templates/types.ts'
import { allOf } from '../all-of.ts'
import { toNumber } from './conventions.ts'

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

type Stored = Pick<Templates, 'get' | 'list'>

/** The template with this id, alias or number; null if there is none. */
export async function findTemplate(templates: Stored, idOrAlias: string): Promise<Template | null> {
  const id = await createIdLookup(templates)(idOrAlias)
  return id === null ? null : await nullOn('not_found', templates.get(id))
}

/**
 * Looks up ids for one call, which may name many templates many times: each is looked up once.
 *
 * @returns The id of the template with this id, alias or number; null if there is none.
 */
export function createIdLookup(templates: Stored): (idOrAlias: string) => Promise<string | null> {
  const ids = new Map<string, Promise<string | null>>()
  let byNumber: Promise<ReadonlyMap<number, string>> | undefined
  async function find(idOrAlias: string): Promise<string | null> {
    if (await nullOn('not_found', templates.get(idOrAlias))) return idOrAlias
    if (!numberForm.test(idOrAlias)) return null
    byNumber ??= readNumbers(templates)
    return (await byNumber).get(Number(idOrAlias)) ?? null
  }
  return (idOrAlias) => {
    const id = ids.get(idOrAlias) ?? find(idOrAlias)
    ids.set(idOrAlias, id)
    return id
  }
}

/** The ids of all templates by their numbers. */
async function readNumbers(templates: Stored): Promise<ReadonlyMap<number, string>> {
  const ids = new Map<number, string>()
  for await (const { id } of allOf(templates.list))
    if (!ids.has(templateNumber(id))) ids.set(templateNumber(id), id)
  return ids
}
