import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openPage, rowOf, submit } from './_setup.ts'

it('shows the first of new mails at once, and gathers those that follow', async () => {
  const { post, page } = await openPage({}, false)
  // For all pages of this file.
  await page.clock.install()
  await page.goto(post.url ?? '')
  await page.getByText('Live', { exact: true }).waitFor()
  let lists = 0
  page.on('request', (request) => {
    if (request.url().includes('fold=broadcasts')) lists++
  })
  // From here on, timers of the page run only as far as the test says.
  await page.clock.pauseAt(Date.now() + 60_000)
  await submit(post, { subject: 'The first', text: 'x' })
  // Its event starts a timer without a delay. The event arrives at an unknown time, so the timers run in steps.
  const first = rowOf(page, 'The first')
  for (let ms = 0; ms < 50 && (await first.count()) === 0; ms++) {
    await page.clock.runFor(1)
    await setTimeout(20)
  }
  expect(await first.count()).toBe(1)

  const before = lists
  for (const subject of ['Second', 'Third', 'Fourth']) await submit(post, { subject, text: 'x' })
  await page.evaluate(() => fetch('dev/health'))
  await page.clock.runFor(10)
  expect(lists).toBe(before)
  await page.clock.runFor(150)
  for (const subject of ['Second', 'Third', 'Fourth']) await rowOf(page, subject).waitFor()
  expect(lists).toBe(before + 1)
})
