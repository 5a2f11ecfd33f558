import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CreatedAccount, Localpost } from '../../src/index.ts'
import { createPasswords } from '../../src/users/password.ts'
import { hollowApp } from '../server/validate-response.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'

/** Spellings of a path that mean the same: letters may be written as escapes (RFC 3986 section 6.2.2.2). */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path.replace(/^\/(.)(.)/, (_, a: string, b: string) => `/${a}%${hex(b)}`),
  (path) => path.replace(/^\/(.)/, (_, a: string) => `/%${hex(a)}`),
  (path) => path.replace(/^\/(.)/, (_, a: string) => `/%${hex(a).toUpperCase()}`),
]
const hex = (letter: string): string => letter.charCodeAt(0).toString(16)

/** The lists that a caller of an account reads. */
const lists = hollowApp()
  .routes.filter(({ method, path }) => method === 'GET' && /^\/(?:v1|dev)\/\w+$/.test(path))
  .map(({ path }) => path)
  .filter((path) => !/events|openapi|metrics|health|session$/.test(path))

const secret = 'xylophone'

async function open(): Promise<{ post: Localpost; shop: CreatedAccount }> {
  const users = join(temporaryFolder(), 'users')
  const hash = await createPasswords().hash('correct horse')
  writeFileSync(users, `grace:member:shop:${hash}\n`)
  const post = await start({ users, requireKey: true })
  const shop = await post.accounts.create({ name: 'shop' })
  await post.inbox.import(Buffer.from(`Subject: ${secret}\r\n\r\n${secret}`))
  await post.account('shop').inbox.import(Buffer.from('Subject: of the shop\r\n\r\nText'))
  return { post, shop }
}

async function answers(
  post: Localpost,
  headers: Record<string, string>,
): Promise<[string, number, boolean][]> {
  const all: [string, number, boolean][] = []
  for (const path of lists)
    for (const spell of spellings) {
      const spelled = spell(path)
      const ask = async (at: string): Promise<Response> =>
        post.fetch(new Request(`http://localpost${at}`, { headers }))
      const plain = await ask(path)
      const answer = await ask(spelled)
      const text = await answer.text()
      all.push([spelled, answer.status - plain.status, text.includes(secret)])
      await plain.body?.cancel()
    }
  return all
}

describe('a path with escaped letters', () => {
  test('reaches the account of a user who signed in, and no other one', async () => {
    const { post } = await open()
    const opened = await post.fetch(
      new Request('http://localpost/dev/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'grace', password: 'correct horse' }),
      }),
    )
    expect(opened.status).toBe(200)
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
    for (const [path, difference, tells] of await answers(post, { cookie, 'x-localpost-page': '1' }))
      expect([path, difference, tells]).toEqual([path, 0, false])
  })

  test('reaches the account of a key', async () => {
    const { post, shop } = await open()
    const headers = { authorization: `Bearer ${shop.api_key}` }
    for (const [path, difference, tells] of await answers(post, headers))
      expect([path, difference, tells]).toEqual([path, 0, false])
  })
})
