import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { matchers, useLocalpost } from 'localpost/testing'
import { startApp } from '../app/server.js'
import { signUp, visit } from '../app/visitor.js'

expect.extend(matchers)
const localpost = useLocalpost({ beforeEach, afterEach })

test('a sign-up is confirmed by the link of the mail', async () => {
  const app = await startApp({ smtp: localpost().smtp })
  try {
    await signUp(app, 'ada@example.com')
    await expect(localpost()).toHaveSent({ to: 'ada@example.com', subject: /confirm/i })
    const mail = await localpost().inbox.waitFor({ to: 'ada@example.com' })
    expect(mail).toHaveCode()
    expect(await visit(mail.links[0].href)).toContain('Welcome')
  } finally {
    await app.close()
  }
})

test('the mail says what it said when its snapshot was written', async () => {
  const app = await startApp({ smtp: localpost().smtp })
  try {
    await signUp(app, 'ada@example.com')
    const mail = await localpost().inbox.waitFor({ to: 'ada@example.com' })
    expect(mail).toMatchMailSnapshot()
    await expect(mail).toPassChecks({ except: ['links'] })
  } finally {
    await app.close()
  }
})
