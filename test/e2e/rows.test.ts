import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { openPage, rowOf, rowsOf, submit } from './_setup.ts'

const subject = 'Your order {{number}} has shipped'
const long = `${'a-long-name-'.repeat(8)}@example.com`

/** What a person compares while looking down the list. */
async function fill(post: Localpost): Promise<void> {
  await submit(post, {
    subject: 'A long address',
    to: long,
    text: 'Hello',
    headers: { 'X-Tags': 'orders, backup, ci' },
  })
  await submit(post, {
    subject: 'Quarterly planning '.repeat(20),
    to: 'Grace <grace@example.com>',
    text: 'Hello '.repeat(60),
  })
  await submit(post, { subject: 'A plain one', to: 'ada@example.com', text: 'Thank you for your order.' })
  await submit(post, {
    subject,
    to: 'ada@example.com',
    text: 'Thank you for your order.',
    headers: { 'X-Tags': 'orders' },
  })
}

/** The parts of a row, as far as they can be seen. */
function partsOf(
  page: Page,
  text: string,
): Promise<Record<string, { left: number; top: number; width: number }>> {
  return rowOf(page, text).evaluate((row) => {
    const parts = ['.subject', '.to', '.from', '.snippet', '.marks', 'time'].flatMap((name) => {
      const { left, right, top, bottom } = row.querySelector(name)?.getBoundingClientRect() ?? new DOMRect()
      const line = row.querySelector(name)?.closest('.who')?.getBoundingClientRect()
      const isSeen = right > left && !(line && line.height > 0 && (top + bottom) / 2 > line.bottom)
      return isSeen ? [[name, { left, top, width: right - left }] as const] : []
    })
    return Object.fromEntries(parts)
  })
}

/** Each row of the list as its lines, from left to right. */
async function linesOf(page: Page, text: string): Promise<string[]> {
  const parts = Object.entries(await partsOf(page, text)).filter(
    ([name]) => name !== '.marks' && name !== 'time',
  )
  const lines = new Map<number, typeof parts>()
  for (const part of parts) {
    const line = Math.round(part[1].top / 8)
    lines.set(line, [...(lines.get(line) ?? []), part])
  }
  const inOrder = (line: typeof parts): string =>
    line
      .toSorted(([, one], [, other]) => one.left - other.left)
      .map(([name]) => name.slice(1))
      .join(' ')
  return [...lines].toSorted(([one], [other]) => one - other).map(([, line]) => inOrder(line))
}

const forms = [
  { width: 1440, alone: false, compact: false, lines: ['subject', 'to from', 'snippet'] },
  { width: 1440, alone: false, compact: true, lines: ['subject', 'to from'] },
  { width: 1440, alone: true, compact: false, lines: ['subject to', 'snippet from'] },
  { width: 1440, alone: true, compact: true, lines: ['subject snippet to from'] },
  { width: 1024, alone: true, compact: false, lines: ['subject to', 'snippet from'] },
  { width: 1024, alone: false, compact: false, lines: ['subject', 'to from', 'snippet'] },
  { width: 768, alone: false, compact: false, lines: ['subject', 'to from', 'snippet'] },
  { width: 390, alone: false, compact: false, lines: ['subject', 'to from'] },
  { width: 390, alone: false, compact: true, lines: ['subject', 'to from'] },
]

it('a row leads with the subject, then the recipient and the sender, at every width', async () => {
  const { post, page } = await openPage({}, false)
  await fill(post)
  const heights: number[] = []
  for (const { width, alone, compact, lines } of forms) {
    const name = `${width} ${alone ? 'alone' : ''} ${compact ? 'compact' : ''}`
    await page.setViewportSize({ width, height: 800 })
    await page.goto(post.url ?? '')
    await page.evaluate(
      ([isAlone, isCompact]) => {
        localStorage.clear()
        if (isAlone) localStorage.setItem('localpost.list-alone', 'on')
        if (isCompact) localStorage.setItem('localpost.density', 'compact')
      },
      [alone, compact] as const,
    )
    // Not again at the address of a mail that was opened meanwhile.
    await page.goto('about:blank')
    await page.goto(post.url ?? '')
    await rowOf(page, subject).waitFor()
    await expect.poll(() => linesOf(page, 'A plain one'), { message: name }).toEqual(lines)
    // A long address leaves the tags, and a long subject the time, in the row.
    for (const text of ['A long address', 'Quarterly planning', 'has shipped']) {
      const row = await rowOf(page, text).boundingBox()
      for (const [part, { left, width: size }] of Object.entries(await partsOf(page, text)))
        expect(left + size, `${name}: ${part} of ${text}`).toBeLessThanOrEqual(
          (row?.x ?? 0) + (row?.width ?? 0),
        )
    }
    expect((await partsOf(page, 'A long address'))['.to']?.width, name).toBeGreaterThan(100)
    heights.push((await rowOf(page, subject).boundingBox())?.height ?? 0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(width)
  }
  // What is touched is at least as high as a finger is wide.
  expect(Math.min(...heights.slice(-2))).toBeGreaterThanOrEqual(44)
  expect(heights[3]).toBeLessThan(heights[2] ?? 0)
  await page.evaluate(() => localStorage.clear())
  await page.setViewportSize({ width: 1280, height: 800 })
})

it('a right-to-left subject stays so while it is unread', async () => {
  const { post, page } = await openPage()
  for (const subject of ['שלום Ada', 'Hello שלום'])
    await submit(post, { subject, to: 'ada@example.com', text: 'x' })
  await rowOf(page, 'שלום Ada').getByText('Unread.').waitFor()
  const directionOf = (text: string): Promise<string> =>
    rowOf(page, text)
      .locator('.subject')
      .evaluate((one) => getComputedStyle(one).direction)
  expect([await directionOf('שלום Ada'), await directionOf('Hello')]).toEqual(['rtl', 'ltr'])
})

it('a row says which placeholders are left, also to who hears it', async () => {
  const { post, page } = await openPage({}, false)
  await fill(post)
  await page.goto(post.url ?? '')
  await rowOf(page, subject).getByText('Placeholder: {{number}} is not filled in').waitFor()
  await rowsOf(page).nth(3).waitFor()
  expect(await page.getByText('is not filled in').count()).toBe(1)
  await submit(post, { subject: 'For {{first}} {{last}}', to: 'ada@example.com', text: 'x' })
  await rowOf(page, 'For {{first}}').getByText('{{first}}, {{last}} are not filled in').waitFor()
})
