import { describe, expect, it } from 'vitest'
import { render } from '../../src/emails/render.ts'
import { LocalpostError } from '../../src/core/errors.ts'

const parts = (text: string) => ({ subject: '', html: '', text })

describe('placeholders', () => {
  it('are filled in subject, html and text, with or without spaces', () => {
    const source = { subject: 'Hi {{name}}', html: '<b>{{ name }}</b>', text: '{{  name}}!' }
    expect(render(source, { name: 'Ada' })).toEqual({
      subject: 'Hi Ada',
      html: '<b>Ada</b>',
      text: 'Ada!',
      warnings: [],
    })
  })

  it('have names of letters, digits, dots, hyphens and underscores that do not begin with a digit', () => {
    const variables = { 'user.first-name_1': 'Ada', _x: 'y' }
    expect(render(parts('{{user.first-name_1}} {{_x}}'), variables).text).toBe('Ada y')
    expect(render(parts('{{1x}} {{a b}} {{}} {name}'), {}).text).toBe('{{1x}} {{a b}} {{}} {name}')
  })

  it('are case-sensitive', () => {
    const rendered = render(parts('{{Name}} {{name}}'), { name: 'Ada' })
    expect(rendered.text).toBe('{{Name}} Ada')
    expect(rendered.warnings).toEqual(['{{Name}} has no variable and stays as written'])
  })

  it('are filled in one pass, so that braces inside a value stay', () => {
    expect(render(parts('{{a}}'), { a: '{{b}}', b: 'never' }).text).toBe('{{b}}')
  })

  it('never reach a prototype', () => {
    expect(render(parts('{{__proto__}} {{constructor}} {{toString}}'), {}).text).toBe(
      '{{__proto__}} {{constructor}} {{toString}}',
    )
  })

  it('insert replacement patterns of a value literally', () => {
    expect(render(parts('{{a}}'), { a: "$& $1 $' $$" }).text).toBe("$& $1 $' $$")
  })
})

describe('a variable', () => {
  it('gives its value, and its default where the value is null or absent', () => {
    const variables = {
      a: { value: 'x', default: 'd' },
      b: { value: null, default: 'd' },
      c: { default: 'd' },
    }
    expect(render(parts('{{a}}{{b}}{{c}}'), variables).text).toBe('xdd')
  })

  it('may be the empty string', () => {
    expect(render(parts('[{{a}}][{{b}}]'), { a: '', b: { value: '', default: 'd' } }).text).toBe('[][]')
  })

  it('without value and default is refused, all of them in one error', () => {
    const attempt = (): unknown => render(parts(''), { a: { value: null }, b: {}, c: 'fine' })
    expect(attempt).toThrowError(LocalpostError)
    expect(attempt).toThrowError(expect.objectContaining({ code: 'missing_variable' }))
    expect(attempt).toThrowError(/"a", "b"/)
  })

  it('without value is named, up to a hundred of them', () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`v${i}`, {}]))
    expect(() => render(parts(''), many)).toThrowError(/"v99", and 1900 more: give one of them\.$/)
  })

  it('that is not used causes a warning', () => {
    expect(render(parts('x'), { lost: 'y' }).warnings).toEqual(['variable "lost" is not used'])
  })
})

describe('escaping', () => {
  const source = { subject: '{{v}}', html: '<p>{{v}}</p>', text: '{{v}}' }
  const v = '<i title="x">&</i>'

  it('is off: values are inserted unescaped, with a warning for html', () => {
    const rendered = render(source, { v })
    expect(rendered.html).toBe(`<p>${v}</p>`)
    expect(rendered.warnings).toEqual(['variable "v" puts characters of < > & " into html unescaped'])
  })

  it('applies to html only where it is on', () => {
    const rendered = render(source, { v }, true)
    expect(rendered.html).toBe('<p>&lt;i title=&quot;x&quot;&gt;&amp;&lt;/i&gt;</p>')
    expect(rendered.text).toBe(v)
    expect(rendered.subject).toBe(v)
    expect(rendered.warnings).toEqual([])
  })
})
