import { describe, expect, it } from 'vitest'
import { queryKeys } from '../../src/search/query-keys.ts'
import { isUnfinished, suggest } from '../../ui/views/inbox/suggestions.ts'

const parts = {
  keys: queryKeys,
  recent: ['is:unread from:acme'],
  known: { from: ['hello@acme.test'], tag: ['sign up'] },
}
const queries = (typed: string): string[] => suggest(typed, parts).map(({ query }) => query)

describe('the suggestions of the search field', () => {
  it('are earlier searches and the usual keys while nothing is typed', () => {
    const keys = ['from:', 'to:', 'subject:', 'body:', 'header:', 'after:']
    expect(queries('')).toEqual(['is:unread from:acme', ...keys])
  })

  it('are keys by their first letters, then values, after the text typed so far', () => {
    expect(queries('hello st')).toEqual(['hello status:'])
    expect(queries('hello -is:un')).toEqual(['hello -is:unread '])
    expect(queries('re')).toEqual(['reply-to:'])
    expect(queries('is:')).toEqual(['is:unread ', 'is:read '])
  })

  it('are values of the loaded mails, quoted where they have spaces', () => {
    expect(queries('from:acme')).toEqual(['from:hello@acme.test '])
    expect(queries('tag:si')).toEqual(['tag:"sign up" '])
  })

  it('are none for plain words, unknown keys and complete values', () => {
    expect(queries('zzz')).toEqual([])
    expect(queries('nokey:x')).toEqual([])
    expect(queries('is:unread')).toEqual([])
    expect(queries('done ')).toEqual([])
  })
})

describe('a search that is being typed', () => {
  it('is unfinished at a key without its value, or inside a quote', () => {
    for (const typed of ['from:', 'reply-to:', 'hello -is:', 'from: ', 'subject:"sign', '"a" "b'])
      expect(isUnfinished(typed), typed).toBe(true)
    for (const typed of ['', 'hello', 'from:acme', 'subject:"sign in"', '12:', 'from:ada '])
      expect(isUnfinished(typed), typed).toBe(false)
  })
})
