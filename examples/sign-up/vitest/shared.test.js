import { expect, inject, onTestFinished, test } from 'vitest'
import { startApp } from '../app/server.js'
import { signUp } from '../app/visitor.js'

test('asks the instance of the run for the mail, over HTTP', async () => {
  const { url, smtp } = inject('mail')
  const app = await startApp({ smtp })
  onTestFinished(() => app.close())
  // The others of the run use it too: an address of one's own keeps the mails apart.
  await signUp(app, 'shared-test@example.com')
  const { emails } = await (await fetch(`${url}/dev/inbox?query=to:shared-test@example.com`)).json()
  expect(emails).toHaveLength(1)
})
