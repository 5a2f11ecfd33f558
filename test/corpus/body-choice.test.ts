import { expect, test } from 'vitest'
import { parseMessage } from '../../src/mime/parse.ts'
import { corpus, file, html, text, typed, type Case, type Leaf } from './_corpus.ts'

/** A leaf as its lines in a message and as the expected result, or a multipart of further ones. */
type Node = readonly [leaf: Leaf, ...fields: string[]] | readonly [kind: string, Node[]]

function linesOf(node: Node, depth: number): string[] {
  const [of, ...rest] = node
  if (typeof of !== 'string') {
    const written = of.says ?? of.octets?.toString('latin1') ?? ''
    return [`Content-Type: ${of.type}`, ...(rest as string[]), '', written]
  }
  const [kind = '', ...parameters] = of.split(' ')
  const type = [`multipart/${kind}`, `boundary=b${depth}`, ...parameters].join('; ')
  const children = (rest[0] as Node[]).flatMap((child) => [`--b${depth}`, ...linesOf(child, depth + 1)])
  return [`Content-Type: ${type}`, '', ...children, `--b${depth}--`]
}

function leavesOf([of, ...rest]: Node): Leaf[] {
  return typeof of === 'string' ? (rest[0] as Node[]).flatMap(leavesOf) : [of]
}

function rows(says: string, messages: Record<string, Node>): Case[] {
  return Object.entries(messages).map(([title, node]) => {
    const [type = '', ...lines] = linesOf(node, 0)
    const message = typed(type.slice('Content-Type: '.length), ...lines.slice(1))
    return { title, says, message, expected: { leaves: leavesOf(node), problem: false } }
  })
}

const png: Node = [file('image/png', 'png')]
const cidPng: Node = [file('image/png', 'png', { cid: 'i@x', disposition: 'inline' }), 'Content-ID: <i@x>']
const pdf: Node = [file('application/pdf', '%PDF')]
/** A text that is shown in the HTML as well. */
const both = (says: string): Leaf => text(says, { inHtml: `<p>${says}</p>` })
const inline = 'Content-Disposition: inline'
const namedField = (name: string): string => `Content-Disposition: inline; filename=${name}`
const named = (leaf: Leaf): Node => [leaf, namedField(leaf.name ?? '')]

corpus('bodies of several parts', [
  ...rows('RFC 2046 section 5.1.3, the parts are shown in their order', {
    'a banner before the text': ['mixed', [[text('Scanned')], [text('Hello')]]],
    'three texts': ['mixed', [[text('1')], [text('2')], [text('3')]]],
    'a text after an image': ['mixed', [[text('Hello')], png, [text('Goodbye')]]],
    'a text after a file, to be shown': ['mixed', [[text('Hello')], pdf, [text('Goodbye'), inline]]],
    'a text after a text with a name': [
      'mixed',
      [
        [text('Hello')],
        named(file('text/plain', 'log', { name: 'log.txt', disposition: 'inline' })),
        [text('End')],
      ],
    ],
    'a text after one to be saved': [
      'mixed',
      [[text('Hello')], [file('text/plain', 'log'), 'Content-Disposition: attachment'], [text('End')]],
    ],
    'an empty text between others': ['mixed', [[text('1')], [text('')], [text('2')]]],
    'two HTML parts': ['mixed', [[html('<p>1')], [html('<p>2')]]],
    'HTML, image, HTML': ['mixed', [[html('<p>1')], png, [html('<p>2')]]],
    'a text after HTML': ['mixed', [[html('<p>1')], [both('2')]]],
    'a text with markup after HTML': [
      'mixed',
      [[html('<p>1')], [text('a <b> & "c"', { inHtml: '<p>a &lt;b&gt; &amp; &quot;c&quot;</p>' })]],
    ],
    'a footer after alternatives': [
      'mixed',
      [['alternative', [[text('Hello')], [html('<p>Hello')]]], [both('Footer')]],
    ],
    'an HTML footer after alternatives': [
      'mixed',
      [['alternative', [[text('Hello')], [html('<p>Hello')]]], [html('<p>Footer')]],
    ],
    'a banner before alternatives': [
      'mixed',
      [[both('Scanned')], ['alternative', [[text('Hello')], [html('<p>Hello')]]]],
    ],
    'a banner before an inner multipart': [
      'mixed',
      [[text('Scanned')], ['mixed', [[text('Hello')], pdf]], [text('Footer')]],
    ],
    'a footer after a signed text': [
      'mixed',
      [['signed', [[text('Hello')], [file('application/pgp-signature', 'sig')]]], [text('Footer')]],
    ],
    'a footer after related parts': [
      'mixed',
      [['related', [[html('<img src="cid:i@x">')], cidPng]], [both('Footer')]],
    ],
    'HTML of several parts beside a text': [
      'alternative',
      [[text('Hello')], ['mixed', [[html('<p>1')], pdf, [html('<p>2')]]]],
    ],
    'HTML and a text beside a text': [
      'alternative',
      [[text('Hello')], ['mixed', [[html('<p>1')], [{ ...both('2'), isOnlyInHtml: true }]]]],
    ],
    'a text and HTML beside a text': [
      'alternative',
      [[text('Hello')], ['mixed', [[{ ...both('1'), isOnlyInHtml: true }], [html('<p>2')]]]],
    ],
    'two texts beside HTML': ['alternative', [['mixed', [[text('1')], [text('2')]]], [html('<p>1 2')]]],
    'HTML before several texts': ['alternative', [[html('<p>1 2')], ['mixed', [[text('1')], [text('2')]]]]],
    'parallel texts': ['parallel', [[text('1')], [text('2')]]],
    'texts of an unknown kind of multipart': ['x-unheard-of', [[text('1')], [text('2')]]],
  }),
  ...rows('project: a text that is followed by HTML without another text is its text version', {
    'a text and HTML that are not marked as alternatives': ['mixed', [[text('Hello')], [html('<p>Hello')]]],
    'two texts before HTML': ['mixed', [[text('1')], [text('2')], [html('<p>1 2')]]],
    'a text before related parts': [
      'mixed',
      [[text('Hello')], ['related', [[html('<img src="cid:i@x">')], cidPng]]],
    ],
    'a text, HTML, and both again': ['mixed', [[text('1')], [html('<p>1')], [both('2')], [html('<p>2')]]],
  }),
  ...rows('RFC 2046 section 5.1.4, alternatives are versions of one content', {
    'a second text as an alternative': ['alternative', [[text('1')], [file('text/plain', '2')]]],
    'a second HTML part as an alternative': [
      'alternative',
      [[text('1')], [html('<p>1')], [file('text/html', '<p>2')]],
    ],
    'alternatives with names': [
      'alternative',
      [
        named(text('Hello', { name: 'a.txt' })),
        named(html('<p>Hello', { name: 'a.html' })),
        [file('text/calendar', 'BEGIN:VCALENDAR')],
      ],
    ],
    'a text and HTML with a name as alternatives': [
      'alternative',
      [[text('Hello')], named(html('<p>Hello', { name: 'a.html' }))],
    ],
    'alternatives of which the second has no name': [
      'alternative',
      [named(file('text/plain', 'a', { name: 'a.txt', disposition: 'inline' })), [text('Hello')]],
    ],
    'an alternative to be saved': [
      'alternative',
      [[text('Hello')], [file('text/html', '<p>'), 'Content-Disposition: attachment']],
    ],
  }),
  ...rows('RFC 2183 section 2.3, a name is of a file that may be saved, not of one that must be', {
    'texts that all have names': [
      'mixed',
      [
        named(text('Hello', { name: 'a.txt' })),
        named(file('text/plain', 'b', { name: 'b.txt', disposition: 'inline' })),
      ],
    ],
    'texts that all have names, after a file': [
      'mixed',
      [
        [file('application/pdf', '%PDF', { name: 'a.pdf', disposition: 'inline' }), namedField('a.pdf')],
        named(text('Hello', { name: 'a.txt' })),
      ],
    ],
    'an HTML part with a name before a text with one': [
      'mixed',
      [
        named(html('<p>Hello', { name: 'a.html' })),
        named(file('text/plain', 'b', { name: 'b.txt', disposition: 'inline' })),
      ],
    ],
    'a text with a name in an inner multipart': [
      'mixed',
      [['mixed', [named(text('Hello', { name: 'a.txt' }))]], pdf],
    ],
    'a text with a name after one to be saved': [
      'mixed',
      [
        [file('text/plain', 'log', { name: 'log.txt' }), 'Content-Disposition: attachment; filename=log.txt'],
        named(text('Hello', { name: 'a.txt' })),
      ],
    ],
    'texts that are all to be saved': [
      'mixed',
      [[file('text/plain', 'log', { name: 'log.txt' }), 'Content-Disposition: attachment; filename=log.txt']],
    ],
  }),
  ...rows('RFC 2387 section 3.2, the root is the first part; one that cannot be shown is none', {
    'related parts of which the first is an image': ['related', [cidPng, [html('<img src="cid:i@x">')]]],
    'related parts of which the third is HTML': [
      'related',
      [cidPng, [file('text/css', 'p {}')], [html('<img src="cid:i@x">')]],
    ],
    'related parts of which the first is an image, then alternatives': [
      'related',
      [cidPng, ['alternative', [[text('Hello')], [html('<img src="cid:i@x">')]]]],
    ],
    'related parts whose start is nowhere': [
      'related start="<gone@x>"',
      [cidPng, [html('<img src="cid:i@x">')]],
    ],
    'related parts whose start is an image': [
      'related start="<i@x>"',
      [[html('<img src="cid:i@x">')], cidPng],
    ],
    'related parts whose root has a name': [
      'related',
      [named(html('<img src="cid:i@x">', { name: 'a.html' })), cidPng],
    ],
    'related parts of images alone': ['related', [cidPng, png]],
  }),
])

test('related parts that name their root, nested as deep as they may be, are read once each', () => {
  const part = (id: string, inner: string): string =>
    `Content-ID: <a>\r\nContent-Type: multipart/related; start="<a>"; boundary=b${id}\r\n\r\n--b${id}\r\n${inner}\r\n--b${id}--\r\n`
  let message = 'Content-ID: <a>\r\nContent-Type: image/png\r\n\r\nx'
  for (let depth = 0; depth < 60; depth++) message = part(String(depth), message)
  expect(parseMessage(Buffer.from(message))).toMatchObject({ text: '', html: '' })
})
