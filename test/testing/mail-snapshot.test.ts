import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { matchers } from '../../src/testing/index.ts'
import { openProjects, runVitest } from './_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

const file = (mail: string, imports = `import { test, expect } from 'localpost/vitest'`): string =>
  `${imports}
   import { randomUUID } from 'node:crypto'
   const send = async (localpost) => {
     const { id } = await localpost.emails.send({ from: 'Acme <hi@acme.test>', to: 'ada@example.com', ${mail} })
     return localpost.inbox.waitFor({ id })
   }
   test('welcomes', async ({ localpost }) => {
     expect(await send(localpost)).toMatchMailSnapshot()
     expect(await send(localpost)).toMatchMailSnapshot({ name: 'again', except: ['headers'] })
   })
   test.concurrent('welcomes at the same time', async ({ localpost, expect }) => {
     expect(await send(localpost)).toMatchMailSnapshot()
   })`
const welcome =
  'subject: \'Welcome\', html: `<p>See <a href="https://acme.test/${randomUUID()}">this</a></p>`'

it('vitest keeps the snapshots, in CI too, and shows what changed and how to accept it', async () => {
  const dir = projects.make({ 'mail.test.js': file(welcome) })
  const missing = await runVitest(dir, '--testTimeout=60000')
  expect(missing.output).toContain('There is no snapshot `welcomes 1`')
  expect(missing.output).toContain('commit it: npx vitest run mail.test.js -u')
  expect(missing.status).toBe(1)

  const written = await runVitest(dir, '-u', '--testTimeout=60000')
  expect(written.output).toMatch(/Snapshots\s+3 written/)
  const stored = readFileSync(join(dir, '__snapshots__/mail.test.js.snap'), 'utf8')
  expect(stored).toContain('exports[`welcomes > again 1`]')
  expect(stored).toContain('  See <a href="https://acme.test/[uuid]">this</a>')
  const same = await runVitest(dir, '--testTimeout=60000')
  expect(same.output).toMatch(/Tests\s+2 passed/)
  expect(same.output).not.toMatch(/obsolete/)

  writeFileSync(join(dir, 'mail.test.js'), file(welcome.replace('See', 'Look at')))
  const changed = await runVitest(dir, '--testTimeout=60000')
  expect(changed.output).toMatch(/Tests\s+2 failed/)
  expect(changed.output).toMatch(/-\s+See <a href/)
  expect(changed.output).toMatch(/\+\s+Look at <a href/)
  expect(changed.output).toContain('Accept the change: npx vitest run mail.test.js -u')
  expect(changed.output).toContain('❯ mail.test.js:8:')
  expect((await runVitest(dir, '-u', '--testTimeout=60000')).output).toMatch(/Snapshots\s+3 updated/)
  expect((await runVitest(dir, '--testTimeout=60000')).status).toBe(0)
  expect(readdirSync(dir)).not.toContain('__pictures__')
}, 120_000)

it('vitest keeps them for the matchers of localpost/testing as well', async () => {
  const imports = `import { expect } from 'vitest'
    import { test } from 'localpost/vitest'
    import { matchers } from 'localpost/testing'
    expect.extend(matchers)`
  const dir = projects.make({ 'mail.test.js': file(welcome, imports) })
  expect((await runVitest(dir, '-u', '--testTimeout=60000')).output).toMatch(/Snapshots\s+3 written/)
  expect((await runVitest(dir, '--testTimeout=60000')).output).toMatch(/Tests\s+2 passed/)
}, 60_000)

it('says what to do where there are no snapshots', () => {
  const mail = { id: 'em_1', links: [], html: '' }
  expect(() => matchers.toMatchMailSnapshot.call({}, mail)).toThrow('compare the text of mailSnapshot(mail)')
  const context = { isNot: true, snapshotState: { match: () => ({ pass: true }) } }
  expect(() => matchers.toMatchMailSnapshot.call(context, mail)).toThrow('cannot be used with "not"')
})
