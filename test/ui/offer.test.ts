import { describe, expect, it } from 'vitest'
import { offerAt } from '../../ui/views/templates/offer.ts'

const names = ['name', 'first_name', 'order.id']

/** The names offered at `|`, and the text after the first one was taken. */
function offered(marked: string): { names: string[]; taken: string } | undefined {
  const caret = marked.indexOf('|')
  const text = marked.replace('|', '')
  const offer = offerAt(text, caret, () => names)
  if (!offer) return undefined
  return {
    names: offer.names,
    taken: `${text.slice(0, offer.start)}{{${offer.names[0]}}}${text.slice(offer.end)}`,
  }
}

describe('the placeholders that are offered while one is typed', () => {
  it.each([
    ['Hi {{|', names, 'Hi {{name}}'],
    ['Hi {{ |', names, 'Hi {{name}}'],
    ['Hi {{na|', ['name', 'first_name'], 'Hi {{name}}'],
    ['Hi {{NA|', ['name', 'first_name'], 'Hi {{name}}'],
    ['Hi {{name|', ['first_name'], 'Hi {{first_name}}'],
    ['Hi {{ord|}}, hello', ['order.id'], 'Hi {{order.id}}, hello'],
    ['Hi {{ord|er }}, hello', ['order.id'], 'Hi {{order.id}}, hello'],
    ['Hi {{ord|}', ['order.id'], 'Hi {{order.id}}'],
    ['{{order.|hello</p>', ['order.id'], '{{order.id}}hello</p>'],
    ['{{a}} {{ord|', ['order.id'], '{{a}} {{order.id}}'],
    ['{{{ord|}}}', ['order.id'], '{{{order.id}}}'],
  ])('go on with %j', (marked, expected, taken) => {
    expect(offered(marked)).toEqual({ names: expected, taken })
  })

  it.each(['|', 'Hi {|', '{{name}}|', '{{zzz|', '{{two words|', '{{\n|', '{|{name}}'])(
    'are none in %j',
    (marked) => {
      expect(offered(marked)).toBeUndefined()
    },
  )

  it('are at most 8, and not looked for outside of a placeholder', () => {
    const many = Array.from({ length: 20 }, (_, index) => `n${index}`)
    expect(offerAt('{{', 2, () => many)?.names).toEqual(many.slice(0, 8))
    const refuse = (): never => expect.unreachable('the names were made')
    expect(offerAt('x'.repeat(1_000_000), 500_000, refuse)).toBeUndefined()
  })
})
