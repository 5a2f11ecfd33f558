import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailpitFace } from '../../../src/providers/mailpit/face.ts'
import type { Route } from '../../../src/server/route.ts'
import { hollowApp } from '../../server/validate-response.ts'
import { declared } from './_declared.ts'
import { whole } from './_mails.ts'
import { openMailpit, type MailpitServer } from './_server.ts'

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

describe('every operation', () => {
  it('answers with the members that its client declares, and only those', async () => {
    const id = await server.submit(whole)
    const wrong: string[] = []
    const bodies: Readonly<Record<string, unknown>> = {
      'PUT /api/v1/messages': { Read: true, IDs: [id] },
      'PUT /api/v1/tags': { IDs: [id], Tags: ['tag2', 'new'] },
      'PUT /api/v1/tags/{tag}': { Name: 'renamed' },
      'PUT /api/v1/chaos': {},
      'POST /api/v1/message/{id}/release': { To: ['a@example.com'] },
      'POST /api/v1/send': { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }] },
    }
    // The document is no operation of Mailpit, and the websocket has a test of its own.
    const isOther = ({ path, success }: Route): boolean =>
      path === '/api/openapi.json' || success.status === 101
    const routes = hollowApp().routes.filter((route) => route.face === mailpitFace && !isOther(route))
    // What removes comes last, and messages after their tags.
    const order = routes.toSorted(
      (a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1) * (a.method === 'DELETE' ? -1 : 1),
    )
    for (const { method, path } of order) {
      const name = `${method} ${path}`
      const part = path.endsWith('/thumb') ? '1.2.2' : '2'
      const tag = method === 'DELETE' ? 'tag2' : 'new'
      const filled = path.replace('{id}', id).replace('{part}', part).replace('{tag}', tag)
      const query = path === '/api/v1/search' ? '?query=from:example.com' : ''
      const answer = await server.call(method, filled + query, bodies[name])
      // No relay is configured.
      if (name.endsWith('/release')) {
        expect(answer.status).toBe(409)
        continue
      }
      const schema = declared[name]
      const problem = answer.status === 200 ? schema?.safeParse(answer.json()).error?.message : answer.text
      if (problem) wrong.push(`${name}: ${answer.status} ${problem}`)
      if (!schema && method !== 'GET' && answer.text !== 'ok') wrong.push(`${name}: ${answer.text}`)
    }
    expect(wrong).toEqual([])
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    expect(Object.keys(declared).filter((name) => !names.includes(name))).toEqual([])
  })

  const rankOf = ({ method }: { method: string }): number => ['GET', 'POST', 'PUT', 'DELETE'].indexOf(method)
})
