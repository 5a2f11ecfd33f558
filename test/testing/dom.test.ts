import { afterAll, describe, expect, it } from 'vitest'
import { openProjects, runVitest } from './_project.ts'

const projects = openProjects()
afterAll(() => projects.clear())

/**
 * What DOM environments do to the globals of Node: `fetch` reaches no other origin, `Response` derives from another class,
 * and other classes are of no use. `test-all/dom.test.ts` has the real ones, in contexts of their own too.
 */
const environment = `const broken = ['TextEncoder', 'TextDecoder', 'Blob', 'File', 'DOMException', 'MessageChannel', 'FormData']
function dress() {
  const replaced = {
    document: {},
    fetch: async () => { throw new Error('Cross-Origin Request Blocked') },
    Response: class Response extends globalThis.Response {},
  }
  for (const name of broken) replaced[name] = class { constructor() { throw new TypeError(name + ' of a DOM') } }
  return replaced
}
export default {
  name: 'dom', viteEnvironment: 'ssr',
  setup(global) {
    const replaced = dress()
    const before = Object.keys(replaced).map((name) => [name, Object.getOwnPropertyDescriptor(global, name)])
    for (const [name, value] of Object.entries(replaced))
      Object.defineProperty(global, name, { value, configurable: true, writable: true })
    return { teardown() { for (const [name, one] of before) if (one) Object.defineProperty(global, name, one) } }
  },
}`

const mailTest = `import { createServer, request } from 'node:http'
import { expect, test } from 'localpost/vitest'
import { openAccount } from 'localpost/testing'
const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Welcome', text: 'Your code is 482913.' }
const slow = { timeoutMs: 60_000 }
const post = (url, key) => new Promise((resolve, reject) => {
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
  request(url + '/v1/emails', { method: 'POST', headers }, (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (piece) => (text += piece)).on('end', () => resolve([answer.statusCode, text]))
  }).on('error', reject).end(JSON.stringify(mail))
})
test('in a DOM', async ({ localpost, localpostUrl }) => {
  expect(typeof document).toBe('object')
  const { id } = await localpost.emails.send(mail)
  expect(await localpost.inbox.waitFor({ id }, slow)).toHaveCode('482913')
  const [status, text] = await post(localpostUrl, localpost.apiKey)
  expect(status).toBe(200)
  expect(await localpost.inbox.waitFor({ id: JSON.parse(text).id }, slow)).toHaveCode('482913')
  await expect(localpost).toHaveSent({ to: 'ada@example.com' }, slow)
  await localpost.inbox.check(id)
  const server = createServer()
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const { createLocalpost } = await import('localpost')
  const other = await createLocalpost()
  await expect(other.listen({ port: server.address().port })).rejects.toMatchObject({ code: 'port_in_use' })
  await other.close()
  await new Promise((done) => server.close(done))
}, 90_000)
test('an account on a server', async ({ localpost, localpostUrl }) => {
  const account = await openAccount({ url: localpostUrl })
  await post(localpostUrl, account.apiKey)
  await expect(account).toHaveSent({ to: 'ada@example.com' }, slow)
  await expect(account.inbox.waitFor({ to: 'bob' }, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'wait_timeout' })
  await account.close()
}, 90_000)`

describe('where the environment of a test has a DOM', () => {
  it('an instance and an account work', async () => {
    const dir = projects.make({ 'dom.js': environment, 'mail.test.js': mailTest })
    const { status, output } = await runVitest(dir, '--environment', './dom.js', '--pool', 'threads')
    expect(output).toMatch(/Tests\s+2 passed/)
    expect(status).toBe(0)
  })
})
