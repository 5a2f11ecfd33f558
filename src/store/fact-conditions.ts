import { bitOf, factAt, type FactRow, type FactTable } from './facts.ts'
import type { FactWhere, Where } from './queries.ts'

/** The answer of a record's facts to a condition. */
export type Ternary = typeof no | typeof yes | typeof unsure
export const no = 0
export const yes = 1
/** The record itself has to be read. */
export const unsure = 2

/** Compiles a condition. @throws internal_error if the collection has no such fact. */
export function judgeOf(table: FactTable, where: Where): (row: FactRow) => Ternary {
  if ('all' in where || 'any' in where) {
    const [wheres, deciding, otherwise] =
      'all' in where ? ([where.all, no, yes] as const) : ([where.any, yes, no] as const)
    const parts = wheres.map((part) => judgeOf(table, part))
    return (row) => {
      let verdict: Ternary = otherwise
      for (const part of parts) {
        const one = part(row)
        if (one === deciding) return one
        if (one === unsure) verdict = unsure
      }
      return verdict
    }
  }
  if ('not' in where) {
    const part = judgeOf(table, where.not)
    return (row) => opposite[part(row)]
  }
  if ('flag' in where) {
    const bit = bitOf(table.facts, where.flag)
    return (row) => (((row[0] ?? 0) & bit) === 0 ? no : yes)
  }
  if ('number' in where) {
    const slot = table.numberSlot(factAt(table.facts.numbers, where.number))
    if ('above' in where) return (row) => ((row[slot] ?? 0) > where.above ? yes : no)
    return (row) => ((row[slot] ?? 0) < where.below ? yes : no)
  }
  if ('text' in where) {
    const at = factAt(table.facts.texts, where.text)
    const slot = table.textSlot(at)
    const fits = textTest(where)
    return (row) => {
      const code = row[slot] ?? 0
      if (code === 0) return no
      const known = table.textsOf(at, code)
      if (known === null) return unsure
      return fits(known) ? yes : no
    }
  }
  return () => unsure
}

const opposite = [yes, no, unsure] as const

export function textTest(where: Extract<FactWhere, { text: string }>): (texts: readonly string[]) => boolean {
  if ('equals' in where) return (texts) => texts.includes(where.equals)
  return (texts) => texts.some((text) => text.startsWith(where.begins))
}
