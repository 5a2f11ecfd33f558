import { membersOf } from './stored.ts'
import type { Where } from './store.ts'

/** A condition made ready for many records. */
export interface Condition {
  /**
   * Whether the record of this JSON text may match, without parsing it. Sound because the texts are
   * `JSON.stringify`'s own: a member with this value is spelt in exactly one way.
   */
  mayMatch(text: string): boolean
  matches(record: object): boolean
}

/** Makes a condition ready. An absent member counts as null. */
export function compileWhere(where: Where): Condition {
  if ('all' in where) {
    const parts = where.all.map(compileWhere)
    return {
      mayMatch: (text) => parts.every((part) => part.mayMatch(text)),
      matches: (record) => parts.every((part) => part.matches(record)),
    }
  }
  if ('any' in where) {
    const parts = where.any.map(compileWhere)
    return {
      mayMatch: (text) => parts.some((part) => part.mayMatch(text)),
      matches: (record) => parts.some((part) => part.matches(record)),
    }
  }
  if ('not' in where) {
    const part = compileWhere(where.not)
    return { mayMatch: always, matches: (record) => !part.matches(record) }
  }
  const { member } = where
  if ('equals' in where) {
    const { equals } = where
    const spelt = `${JSON.stringify(member)}:${JSON.stringify(equals)}`
    return {
      mayMatch: equals === null ? always : (text) => text.includes(spelt),
      matches: (record) => (membersOf(record)[member] ?? null) === equals,
    }
  }
  if ('above' in where) return byNumber(member, (value) => value > where.above)
  if ('below' in where) return byNumber(member, (value) => value < where.below)
  return containing(member, where.contains)
}

const always = (): boolean => true

function byNumber(member: string, test: (value: number) => boolean): Condition {
  return {
    mayMatch: always,
    matches(record) {
      const value = membersOf(record)[member]
      return typeof value === 'number' && test(value)
    },
  }
}

function containing(member: string, part: string): Condition {
  const sought = part.toLowerCase()
  const holds = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase().includes(sought)
  return {
    mayMatch: always,
    matches(record) {
      const value = membersOf(record)[member]
      return Array.isArray(value) ? value.some(holds) : holds(value)
    },
  }
}
