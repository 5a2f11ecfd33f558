import { expect, it } from 'vitest'
import { openPage, rowsOf, searchField } from './_setup.ts'

it('the first matches of a search are shown, and can be opened, while the others are counted', async () => {
  const { post, page } = await openPage()
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(40)
  for (let n = 0; n < 1400; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        post.inbox.import(Buffer.from(`From: bob@acme.test\r\nSubject: Mail ${n + at}\r\n\r\n${text}\r\n`)),
      ),
    )
  let count = (): void => {}
  await page.route(
    (url) => url.searchParams.get('query') === 'quick' && url.searchParams.get('count') === null,
    async (route) => {
      await new Promise<void>((resolve) => (count = resolve))
      await route.continue()
    },
  )
  const line = page.locator('.line').getByRole('status')
  await expect.poll(() => line.innerText()).toBe('1,400 mails')
  await searchField(page).fill('quick')
  await expect.poll(() => line.innerText()).toMatch(/^[\d,]+\+ matches$/)
  const first = Number((await line.innerText()).replaceAll(/\D/g, ''))
  expect(first).toBeGreaterThan(50)
  expect(first).toBeLessThan(1400)
  await searchField(page).blur()
  await rowsOf(page).first().click()
  await page.getByRole('heading', { name: /^Mail 13\d\d$/ }).waitFor()
  await page.locator('nav.list .rows > li').first().and(page.locator('[aria-setsize="-1"]')).waitFor()
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: /^Select all \d+\+$/ }).click()
  const selected = page.getByRole('toolbar', { name: 'Selected mails' }).getByRole('status')
  await expect.poll(() => selected.innerText()).toMatch(/^\d+\+ selected$/)
  await page.keyboard.press('Escape')
  // A question about what cannot be undone waits for the number.
  await page.getByRole('button', { name: 'Delete matches…' }).click()
  await page.waitForTimeout(200)
  expect(await page.getByRole('dialog').count()).toBe(0)
  count()
  await page.getByRole('dialog').getByText('Delete 1,400 matches?').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => line.innerText()).toBe('1,400 matches')
  expect(await page.locator('nav.list .rows > li').first().getAttribute('aria-setsize')).toBe('1400')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}, 60_000)
