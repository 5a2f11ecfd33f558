import { expect, test as base } from '@playwright/test'
import { withLocalpostAccount } from 'localpost/playwright'
import { startApp } from '../app/server.js'

// Each worker starts the app with the SMTP credentials of its account.
const test = withLocalpostAccount(base).extend({
  app: [
    async ({ localpostAccount }, use) => {
      const app = await startApp({ smtp: localpostAccount.smtp })
      await use(app)
      await app.close()
    },
    { scope: 'worker' },
  ],
})

for (const visitor of ['one', 'another'])
  test(`${visitor} visitor signs up and follows the link of the mail`, async ({ page, app, localpost }) => {
    await page.goto(app.url)
    // The same address in both: the mail of the other worker is in its own account.
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect(page.getByRole('heading')).toHaveText('Look into your inbox')

    const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
    await page.goto(mail.links[0].href)
    await expect(page.getByRole('heading')).toHaveText('Welcome')
    expect((await localpost.inbox.list()).count).toBe(1)
  })
