import { expect, it } from 'vitest'
import { isLight, isSmall } from '../../ui/views/inbox/light-html.ts'

it.each([
  ['a plain mail', '<p>Hello</p>', true],
  ['words of costly styles in a text', '<p>an animated set that has: a marquee</p>', true],
  ['a style without animation', '<style>p{color:red}a:hover{transition:1s}</style><p>x', true],
  ['an animation', '<style>@keyframes in{from{opacity:0}}</style>', false],
  ['an animation with a prefix', '<STYLE>@-WEBKIT-KEYFRAMES in{from{opacity:0}}</STYLE>', false],
  ['an animation in SVG', '<svg><animate attributeName="x"/></svg>', false],
  ['a movement in SVG', '<svg><animateTransform type="rotate"/></svg>', false],
  ['a value that is set later in SVG', '<svg><set attributeName="x"/></svg>', false],
  ['a marquee', '<marquee>x</marquee>', false],
  ['a selector that looks ahead', '<style>p:has(+ p){color:red}</style>', false],
  ['the longest', 'x'.repeat(100_000), true],
  ['one that is too long', 'x'.repeat(100_001), false],
])('whether HTML may be loaded before its mail is opened: %s', (_, html, may) => {
  expect(isLight(html)).toBe(may)
})

it.each([
  [0, false],
  [1, true],
  [100_000, true],
  [100_001, false],
])('whether the HTML of a mail of %i bytes may be loaded while it is opened', (size_bytes, may) => {
  expect(isSmall({ size_bytes })).toBe(may)
})
