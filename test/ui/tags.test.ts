import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { colorOfName, tagColors } from '../../ui/views/inbox/tag-colors.ts'
import { tagColorSchema } from '../../src/inbox/schema.ts'
import { nameProblem } from '../../ui/views/inbox/tag-edit.ts'
import { suggestTags } from '../../ui/views/inbox/tag-suggestions.ts'
import { contrast, themes, tokenOf } from './_tokens.ts'

const parts = readFileSync(new URL('../../ui/styles/parts.css', import.meta.url), 'utf8')

describe('the suggestions of a field for tags', () => {
  const known = ['signup', 'design', 'sign off', 'news']

  it('are the most frequent tags while nothing is typed, then those that begin with it, then those that contain it', () => {
    expect(suggestTags(' ', known)).toEqual(known)
    expect(suggestTags('SIGN', known)).toEqual(['signup', 'sign off', 'design'])
    expect(suggestTags('x', known)).toEqual([])
  })

  it('leave out what is typed in full and what the mail has, and are at most eight', () => {
    expect(suggestTags('signup', known)).toEqual([])
    expect(suggestTags('', known, ['Signup', 'NEWS'])).toEqual(['design', 'sign off'])
    const many = Array.from({ length: 1000 }, (_, i) => `tag ${i}`)
    expect(suggestTags('', many)).toEqual(many.slice(0, 8))
  })
})

describe('the colour of a tag', () => {
  it('follows from its name without regard to case, never gray, and uses the whole palette', () => {
    expect(colorOfName('Invoice')).toBe(colorOfName('invoice'))
    const used = new Set(Array.from({ length: 200 }, (_, i) => colorOfName(`tag ${i} ${'🎉'.repeat(i % 3)}`)))
    expect([...used].toSorted()).toEqual(tagColors.filter((color) => color !== 'gray').toSorted())
  })

  it('is one of those that the server keeps', () => {
    expect(tagColors.map((color) => tagColorSchema.parse(color))).toEqual(tagColors)
    expect(JSON.stringify(z.toJSONSchema(tagColorSchema))).toContain(JSON.stringify(tagColors))
  })

  it.each(themes)('keeps a contrast of 4.5 in the %s theme', (theme) => {
    const grounds = ['surface', 'raised', 'ground'].map((name) => tokenOf(name, theme))
    for (const color of tagColors) {
      expect(parts).toContain(`[data-hue='${color}']`)
      const text = tokenOf(`tag-${color}`, theme)
      for (const ground of [tokenOf(`tag-${color}-soft`, theme), ...grounds])
        expect(contrast(text, ground), `${color} on ${ground.join(' ')}`).toBeGreaterThanOrEqual(4.5)
    }
  })
})

describe('a new name of a tag', () => {
  it('is refused where it cannot be a tag', () => {
    for (const name of ['New', '', 'say "hi"', 'x'.repeat(100)]) expect(nameProblem(name)).toBe('')
    for (const name of ['a,b', 'a\tb']) expect(nameProblem(name)).toContain('commas or control characters')
  })
})
