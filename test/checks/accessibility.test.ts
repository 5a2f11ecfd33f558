import { describe, expect, it } from 'vitest'
import { checkMail } from '../../src/checks/run.ts'
import { contrastOf, parseColor } from '../../src/checks/colors.ts'
import { mailWith, page } from './_mail.ts'

async function messagesOf(body: string, id: string): Promise<string[]> {
  const { findings } = checkMail(mailWith({ html: page(body) }))
  return findings.filter((finding) => finding.id === id).map(({ message }) => message)
}

describe('the contrast of a text', () => {
  it.each([
    ['#000', '#fff', 21],
    ['#777', 'white', 4.48],
    ['rgb(255, 0, 0)', '#ffffff', 4],
    ['#0000ff', 'yellow', 8],
  ])('of %s on %s is %d', (one, other, contrast) => {
    expect(Math.round(contrastOf(parseColor(one)!, parseColor(other)!) * 100) / 100).toBeCloseTo(contrast, 1)
  })

  it.each([
    ['inherits colour and background', '<div style="background:#666"><p>x</p></div>', 1],
    [
      'knows attributes',
      '<table role="none" bgcolor="#777777"><tr><td><font color="#888888">x</font></td></tr></table>',
      1,
    ],
    ['does not judge over an image', '<div style="background:url(a.png) #777">x</div>', 0],
    ['does not judge transparency', '<p style="color:rgba(0,0,0,.1)">x</p>', 0],
    ['does not judge unknown colours', '<p style="color:var(--x)">x</p>', 0],
    [
      'keeps what is behind a transparent element',
      '<div style="background:#666"><p style="background-color:transparent">x</p></div>',
      1,
    ],
    [
      'asks less of large text',
      '<p style="color:#888;font-size:24px">x</p><p style="color:#888;font:bold 19px Arial">x</p>',
      0,
    ],
    ['ends with the element', '<p style="color:#888"></p>x', 0],
    ['ignores what is hidden', '<div style="display:none;color:#fff">x</div>', 0],
    ['ignores white space', '<p style="color:#fff">&nbsp; &zwnj;</p>', 0],
    ['takes the last declaration', '<p style="color:#fff;color:#000">x</p>', 0],
    ['leaves links to the client', '<a href="https://acme.test" style="">Acme</a>', 0],
  ])('%s', async (_, body, count) => {
    expect(await messagesOf(body, 'contrast')).toHaveLength(count)
  })
})

it.each([
  ['11px', 'note'],
  ['0.5em', 'warning'],
  ['50%', 'warning'],
  ['6pt', 'warning'],
  ['0', undefined],
  ['1px', undefined],
  ['12px', undefined],
  ['small', undefined],
])('a text of %s is rated %s', async (size, severity) => {
  const { findings } = checkMail(mailWith({ html: page(`<p style="font-size:${size}">x</p>`) }))
  expect(findings.find(({ id }) => id === 'font-size')?.severity).toBe(severity)
})

it.each(['click here', 'Here', 'Read more →', ' more… '])('the link text %j says nothing', async (text) => {
  expect(await messagesOf(`<a href="https://acme.test/">${text}</a>`, 'link-texts')).toHaveLength(1)
})

it.each(['More about Acme', 'Here is the report', 'acme.test'])(
  'the link text %j says something',
  async (text) => {
    expect(await messagesOf(`<a href="https://acme.test/">${text}</a>`, 'link-texts')).toEqual([])
  },
)

it.each(['image', 'logo.png', 'IMG_2041.JPG'])('the alternative text %j says nothing', async (alt) => {
  expect(await messagesOf(`<img src="https://acme.test/a" alt="${alt}">`, 'image-alternatives')).toHaveLength(
    1,
  )
})

it('a label names a link', async () => {
  expect(await messagesOf('<a href="https://acme.test/" aria-label="Acme"></a>', 'link-texts')).toEqual([])
})
