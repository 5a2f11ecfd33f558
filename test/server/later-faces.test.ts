import { createServer, request } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { providers } from '../../src/providers/providers.ts'
import type { Face } from '../../src/server/face.ts'
import { createFindFace, facesOf, type LaterFaces } from '../../src/server/faces.ts'
import type { OtherAccounts } from '../../src/server/pass-to-account.ts'
import type { Route } from '../../src/server/route.ts'
import { hollowApp } from './validate-response.ts'

const { routes } = hollowApp()
const all = facesOf(routes)
const rowsOf = (faces: readonly Face[]): Route[] =>
  routes.filter(({ face, path }) => face && faces.includes(face) && !path.endsWith('/openapi.json'))

interface Later {
  readonly app: ReturnType<typeof hollowApp>
  readonly loads: string[][]
  readonly errors: unknown[]
}

/** An app whose faces come later. Each load fails as often as `failures` says. */
function laterApp(failures = 0, over: Parameters<typeof hollowApp>[0] = {}): Later {
  const loads: string[][] = []
  const errors: unknown[] = []
  let left = failures
  const faces: LaterFaces = {
    all,
    async load(wanted) {
      loads.push(wanted.map(({ name }) => name))
      await Promise.resolve()
      if (left-- > 0) throw new Error('The file is gone.')
      return rowsOf(wanted)
    },
  }
  const onError = (error: unknown): void => void errors.push(error)
  return { app: hollowApp({ faces, furtherRoutes: [], onError, ...over }), loads, errors }
}

const ask = (app: Later['app'], path: string, init?: RequestInit): Promise<Response> =>
  app.fetch(new Request(`http://localhost${path}`, init))

describe.each(providers.map(({ face }) => [face.title, face] as const))('the routes of %s', (_, face) => {
  test('are loaded once, at the first request for one of its paths, however it is spelled', async () => {
    const { app, loads } = laterApp()
    const segment = face.prefix.split('/')[1] ?? ''
    for (const path of ['/', '/v1/emails', '/dev/health', '/nothing', `/${segment}x`]) await ask(app, path)
    expect(loads).toEqual([])
    const first = face.prefix.replace(
      /^\/(.)/,
      (_all, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`,
    )
    await Promise.all([ask(app, `${first}/nothing`), ask(app, `${face.prefix}/nothing`)])
    await ask(app, face.prefix)
    expect(loads).toEqual([
      all.filter(({ prefix }) => prefix.split('/')[1] === segment).map(({ name }) => name),
    ])
    const known = new Set(app.routes.map(({ method, path }) => `${method} ${path}`))
    for (const { method, path } of rowsOf([face])) expect(known).toContain(`${method} ${path}`)
  })
})

test('an error while routes are loaded is reported and answered, and the next request tries again', async () => {
  const { app, loads, errors } = laterApp(1)
  const failed = await ask(app, '/resend/emails')
  expect(failed.status).toBe(500)
  expect(await failed.json()).toMatchObject({ name: 'internal_server_error' })
  expect(errors).toEqual([expect.objectContaining({ message: 'The file is gone.' })])
  expect((await ask(app, '/resend/emails')).status).toBe(401)
  expect(loads).toHaveLength(2)
})

/** Accounts of which one has the key `other`, and answers every request with its path. */
const otherAccounts: OtherAccounts = {
  isEmpty: () => false,
  ofKey: (key) => (key === 'other' ? { id: 'acc_other', scope: 'full' } : null),
  ofDigest: () => null,
  ofName: () => null,
  has: (id) => id === 'acc_other',
  open: async () => ({
    app: { answer: async (to) => new Response(`other: ${new URL(to.url).pathname}`) },
    used() {},
    release() {},
  }),
}
const instance = { otherAccounts, facts: () => Promise.reject(new Error('not asked')) }

test('a request with the key of another account loads nothing for the account `default`', async () => {
  const { app, loads } = laterApp(0, { instance })
  const passed = await ask(app, '/resend/emails', { headers: { authorization: 'Bearer other' } })
  expect(await passed.text()).toBe('other: /resend/emails')
  expect(loads).toEqual([])
  expect((await ask(app, '/resend/emails')).status).toBe(401)
  expect(loads).toHaveLength(1)
})

test('a request with a foreign Host is refused before anything is loaded, also while loading fails', async () => {
  const { app, loads, errors } = laterApp(1, { instance })
  const server = createServer(app.nodeHandler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const statusOf = async (host: string): Promise<number | undefined> => {
    const { port } = server.address() as AddressInfo
    const [answer] = await once(
      request({ port, host: '127.0.0.1', path: '/resend/emails', headers: { host }, agent: false }).end(),
      'response',
    )
    answer.resume()
    return answer.statusCode
  }
  expect(await statusOf('evil.test')).toBe(403)
  expect(loads).toEqual([])
  expect(await statusOf('localhost')).toBe(500)
  expect(await statusOf('evil.test')).toBe(403)
  expect(await statusOf('localhost')).toBe(401)
  expect(loads).toHaveLength(2)
  expect(errors).toHaveLength(1)
})

test('a path that is itself the longer beginning of a face belongs to the face of the shorter one', () => {
  const faceOf = createFindFace(providers.map(({ face }) => face))
  expect(faceOf('/api/v1/messages')?.name).toBe('mailpit')
  expect(faceOf('/api/v1/messages/x')?.name).toBe('mailhog')
  expect(faceOf('/api/v2')?.name).toBe('mailpit')
  expect(faceOf('/api')?.name).toBe('mailpit')
  expect(faceOf('/apis')).toBe(null)
})
