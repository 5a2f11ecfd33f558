import { expect as baseExpect, test as base } from '@playwright/test'
import { withLocalpost, withMailMatchers } from 'localpost/playwright'
import { startApp } from '../app/server.js'

const expect = withMailMatchers(baseExpect, base)

// The ports of a worker's instance stay the same, so the app is started once for all tests of a worker.
const test = withLocalpost(base).extend({
  app: [
    async ({ localpostInstance }, use) => {
      const app = await startApp({ smtp: localpostInstance.smtp })
      await use(app)
      await app.close()
    },
    { scope: 'worker' },
  ],
})

test('a visitor signs up and follows the link of the mail', async ({ page, app, localpost }) => {
  await page.goto(app.url)
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await expect(page.getByRole('heading')).toHaveText('Look into your inbox')

  const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
  await page.goto(mail.links[0].href)
  await expect(page.getByRole('heading')).toHaveText('Welcome')
})

test('the mail can be looked at in the inbox page', async ({ page, app, localpost }) => {
  await page.request.post(`${app.url}/signup`, { form: { email: 'bob@example.com' } })
  await page.goto(localpost.url)
  await expect(page.getByText('Confirm your address').first()).toBeVisible()
})

test('the mail says what it said when its snapshot was written', async ({ page, app, localpost }) => {
  await page.request.post(`${app.url}/signup`, { form: { email: 'ada@example.com' } })
  const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
  expect(mail).toMatchMailSnapshot()
  await expect(mail).toPassChecks({ except: ['links'] })
})
