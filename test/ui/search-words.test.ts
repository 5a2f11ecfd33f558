import { describe, expect, it } from 'vitest'
import { markedPieces, searchedWords } from '../../ui/views/inbox/search-words.ts'

describe('the words of a search', () => {
  it.each([
    ['invoice', ['invoice']],
    ['Two words', ['two', 'words']],
    ['"a phrase" x', ['a phrase', 'x']],
    ['from:ada subject:"New order"', ['ada', 'new order']],
    ['is:unread after:2h -draft tag:x', []],
    ['(one or two)', ['one', 'two']],
    ['', []],
  ])('of %s are %j', (query, words) => {
    expect(searchedWords(query)).toEqual(words)
  })

  it.each([
    ['An Invoice, an invoice', ['invoice'], ['An ', 'Invoice', ', an ', 'invoice', '']],
    ['ab abc', ['ab', 'abc'], ['', 'ab', ' ', 'abc', '']],
    ['nothing', ['x'], ['nothing']],
    ['İstanbul', ['stan'], ['İstanbul']],
    ['text', [], ['text']],
  ])('are marked in %s', (text, words, pieces) => {
    expect(markedPieces(text, words)).toEqual(pieces)
  })
})
