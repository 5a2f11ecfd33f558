import { expect, test } from 'localpost/vitest'
import { onTestFinished } from 'vitest'
import { startApp } from '../app/server.js'
import { signUp, visit } from '../app/visitor.js'

async function start(mail) {
  const app = await startApp(mail)
  onTestFinished(() => app.close())
  return app
}

test('the link of the mail confirms an address; the app sends over SMTP', async ({ localpost }) => {
  const app = await start({ smtp: localpost.smtp })
  await signUp(app, 'ada@example.com')
  await expect(localpost).toHaveSent({ to: 'ada@example.com', subject: /confirm/i })
  const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
  expect(await visit(mail.links[0].href)).toContain('Welcome')
})

test('the code of the mail confirms an address; the app calls the API', async ({
  localpost,
  localpostUrl,
}) => {
  const app = await start({ apiUrl: localpostUrl, apiKey: localpost.apiKey })
  await signUp(app, 'ada@example.com')
  const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
  expect(mail).toHaveCode()
  expect(await visit(`${app.url}/verify?email=ada@example.com&code=${mail.codes[0]}`)).toContain('Welcome')
})

test('the mail says what it said when its snapshot was written', async ({ localpost }) => {
  const app = await start({ smtp: localpost.smtp })
  await signUp(app, 'ada@example.com')
  const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
  expect(mail).toMatchMailSnapshot()
  await expect(mail).toPassChecks({ except: ['links'] })
})
