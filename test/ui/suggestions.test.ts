import { describe, expect, it } from 'vitest'
import { queryKeys } from '../../src/search/query-keys.ts'
import { isUnfinished, suggest } from '../../ui/views/inbox/suggestions.ts'

const parts = {
  keys: queryKeys,
  recent: ['is:unread from:acme'],
  known: { from: ['hello@acme.test'], tag: ['sign up'] },
}
const queries = (typed: string): string[] => suggest(typed, parts).map(({ query }) => query)

describe('what a search may go on with', () => {
  it('is a search made before, or any key, while nothing is typed', () => {
    expect(queries('')).toEqual(['is:unread from:acme', ...queryKeys.map(({ name }) => `${name}:`)])
  })

  it('is a key by its first letters, then its values, behind what was typed before', () => {
    expect(queries('hello st')).toEqual(['hello status:'])
    expect(queries('hello -is:un')).toEqual(['hello -is:unread '])
    expect(queries('is:')).toEqual(['is:unread ', 'is:read '])
  })

  it('is what stands in the mails at hand, quoted where it has spaces', () => {
    expect(queries('from:acme')).toEqual(['from:hello@acme.test '])
    expect(queries('tag:si')).toEqual(['tag:"sign up" '])
  })

  it('is nothing for plain words, unknown keys and values that are complete', () => {
    expect(queries('zzz')).toEqual([])
    expect(queries('nokey:x')).toEqual([])
    expect(queries('is:unread')).toEqual([])
    expect(queries('done ')).toEqual([])
  })
})

describe('a search that is being typed', () => {
  it('is not finished at a key without its value, or in a quote', () => {
    for (const typed of ['from:', 'hello -is:', 'from: ', 'subject:"sign', '"a" "b'])
      expect(isUnfinished(typed), typed).toBe(true)
    for (const typed of ['', 'hello', 'from:acme', 'subject:"sign in"', '12:', 'from:ada '])
      expect(isUnfinished(typed), typed).toBe(false)
  })
})
