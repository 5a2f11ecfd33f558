import { expect, it } from 'vitest'
import { contrast, themes, tokenOf } from './_tokens.ts'

const texts = ['ink', 'ink-2', 'ink-3', 'quiet', 'code-name', 'code-value', 'code-mark', 'code-dim']
const grounds = ['ground', 'surface', 'raised']
const tones = ['quiet', 'good', 'info', 'warn', 'bad']

it.each(themes)('text keeps a contrast of 4.5 on every ground of the %s theme', (theme) => {
  const found: string[] = []
  const check = (text: string, name: string, color: ReturnType<typeof tokenOf>): void => {
    const value = contrast(tokenOf(text, theme), color)
    if (value < 4.5) found.push(`${text} on ${name}: ${value.toFixed(2)}`)
  }
  for (const name of grounds) {
    const ground = tokenOf(name, theme)
    for (const text of [...texts, ...tones, 'accent-ink']) check(text, name, ground)
    for (const above of ['quiet-soft', 'hover'])
      for (const text of texts) check(text, `${above} over ${name}`, tokenOf(above, theme, ground))
    for (const tone of tones) check(tone, `${tone}-soft over ${name}`, tokenOf(`${tone}-soft`, theme, ground))
  }
  for (const text of ['ink', 'ink-2', 'ink-3', 'accent-ink', 'bad', 'warn'])
    check(text, 'selected', tokenOf('selected', theme))
  expect(found).toEqual([])
})
