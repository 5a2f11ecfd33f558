import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { assertCode, assertSent, useLocalpost } from 'localpost/testing'
import { startApp } from '../app/server.js'
import { signUp, visit } from '../app/visitor.js'

const localpost = useLocalpost({ beforeEach, afterEach })

test('a sign-up is confirmed by the link of the mail', async (t) => {
  const app = await startApp({ smtp: localpost().smtp })
  t.after(() => app.close())
  await signUp(app, 'ada@example.com')
  await assertSent(localpost(), { to: 'ada@example.com', subject: /confirm/i })
  const mail = await localpost().inbox.waitFor({ to: 'ada@example.com' })
  assertCode(mail)
  assert.match(await visit(mail.links[0].href), /Welcome/)
})
