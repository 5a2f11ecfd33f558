import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createPasswords } from '../../src/users/password.ts'
import { temporaryFolder } from '../support/folder.ts'
import { open, type Face } from './helpers.ts'

const hash = await createPasswords().hash('correct horse')

async function withUsers(): Promise<{
  face: Face
  signIn(name: string, password?: string): Promise<Response>
}> {
  const users = join(temporaryFolder(), 'users')
  writeFileSync(users, `ada:admin:default:${hash}\ngrace:member:default:${hash}\n`)
  const face = await open({ users, requireKey: true })
  return {
    face,
    signIn: (name, password = 'correct horse') =>
      face.call('POST', '/dev/session', { body: { name, password } }),
  }
}

const cookieOf = (answer: Response): string => answer.headers.get('set-cookie')?.split(';')[0] ?? ''

it('access.users: a member may do everything but make and remove keys and empty the instance', async () => {
  const { face, signIn } = await withUsers()
  for (const [name, status] of [
    ['ada', 201],
    ['grace', 403],
  ] as const) {
    const headers = { cookie: cookieOf(await signIn(name)) }
    expect((await face.call('DELETE', '/dev/inbox?all=true', { headers })).status).toBe(200)
    expect((await face.call('POST', '/dev/keys', { headers })).status).toBe(status)
    expect((await face.call('POST', '/dev/reset', { headers })).status).toBe(status === 201 ? 200 : 403)
  }
})

it('access.sessions: a cookie that is HttpOnly and SameSite=Strict, for a day, until the sign-out', async () => {
  const { face, signIn } = await withUsers()
  const answer = await signIn('ada')
  expect(answer.headers.get('set-cookie')).toMatch(/; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/)
  const headers = { cookie: cookieOf(answer) }
  expect((await face.call('GET', '/dev/inbox', { headers })).status).toBe(200)
  await face.call('DELETE', '/dev/session', { headers })
  expect((await face.call('GET', '/dev/inbox', { headers })).status).toBe(401)
})

it('access.sessions: 50 of one key or user, and a further one ends none of another', async () => {
  const { face, signIn } = await withUsers()
  const made = await face.call('POST', '/dev/keys', { body: { scope: 'read' }, key: face.post.apiKey })
  const { value: key } = (await made.json()) as { value: string }
  const byKey = (): Promise<Response> => face.call('POST', '/dev/session', { body: { key }, key: null })
  const statusOf = async (answer: Response): Promise<number> =>
    (await face.call('GET', '/dev/inbox', { headers: { cookie: cookieOf(answer) } })).status
  const admin = await signIn('ada')
  const [first, second] = [await byKey(), await byKey()]
  for (let i = 2; i < 1001; i++) {
    await byKey()
    if (i === 50) expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
  }
  expect([await statusOf(second), await statusOf(await byKey()), await statusOf(admin)]).toEqual([
    401, 200, 200,
  ])
})

it('access.sign-in-limit: 20 wrong passwords from an address, with the same answer for any name', async () => {
  const { signIn } = await withUsers()
  const bodies = new Set<string>()
  for (let i = 0; i < 20; i++) {
    const answer = await signIn(i % 2 ? 'ada' : 'nobody', 'wrong')
    expect(answer.status).toBe(401)
    bodies.add(await answer.text())
  }
  expect(bodies.size).toBe(1)
  expect((await signIn('ada')).status).toBe(429)
})
