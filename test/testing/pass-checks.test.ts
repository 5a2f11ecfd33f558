import { expect, it } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import { assertPassesChecks } from '../../src/testing/index.ts'
import { matchers } from '../../src/testing/matchers.ts'
import type { Mail } from '../../src/inbox/types.ts'
import { submit } from '../support/submit.ts'

async function mailOf(html: string): Promise<Mail> {
  await using post = await createLocalpost()
  return post.inbox.get(await submit(post, { subject: 'Hello', text: 'Hello', html }))
}
const check = (mail: Mail, expectation?: object) => matchers.toPassChecks.call({}, mail, expectation)

it('toPassChecks passes for a mail without errors, and names check, line and fix otherwise', async () => {
  expect(await check(await mailOf('<p>Hello</p>'))).toMatchObject({ pass: true })
  const broken = await mailOf('<p>Hello\n<a href="/start">Start</a></p>')
  const { pass, message } = await check(broken)
  expect(pass).toBe(false)
  expect(message()).toContain('error links: The link "Start" to /start: it is relative')
  expect(message()).toMatch(
    /\(line 2 of the html: <a href="\/start">\)\n {4}Write the complete https address/,
  )
  expect(await check(broken, { except: ['links'] })).toMatchObject({ pass: true })
  await expect(assertPassesChecks(broken)).rejects.toThrow('to pass the checks, but:')
  await assertPassesChecks(broken, { except: ['links'] })
})

it('toPassChecks fails on warnings where it is asked to, of the named mail clients only', async () => {
  const flex = await mailOf('<p style="display: flex">Hello</p>')
  const except = ['html-lang', 'html-title']
  const of = (client: string) => check(flex, { clients: [client], failOn: 'warning', except })
  expect(await of('outlook/windows')).toMatchObject({ pass: false })
  expect(await of('apple-mail/macos')).toMatchObject({ pass: true })
  expect(await check(flex, { clients: ['outlook/windows'] })).toMatchObject({ pass: true })
})

it.each([
  [{ except: ['link'] }, 'there is no check "link". Did you mean "links"?'],
  [{ clients: 'gmail/ios' }, 'clients takes an array of texts, not "gmail/ios"'],
  [{ failOn: 'note' }, 'failOn takes one of error, warning, not "note"'],
])('toPassChecks refuses %j', async (expectation, message) => {
  await expect(check(await mailOf('<p>x</p>'), expectation)).rejects.toThrow(message)
})

it('a refusal names the matcher or the assertion that was called', async () => {
  const mail = await mailOf('<p>x</p>')
  await expect(check(mail, { except: ['nonsense'] })).rejects.toThrow('toPassChecks')
  await expect(assertPassesChecks(mail, { except: ['nonsense'] })).rejects.toThrow('assertPassesChecks')
})
