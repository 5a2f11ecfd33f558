import { H3, toNodeHandler } from 'h3'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openInProcess } from './_face.ts'
import { goodMail } from '../support/mail.ts'

test('post.fetch can be mounted in another server, which is responsible for hosts and context', async () => {
  const { post } = await openInProcess()
  const outer = new H3()
  let context: unknown
  outer.all('/v1/**', async (event) => {
    const response = await post.fetch(event.req)
    context = event.context.params
    return response
  })
  const server = createServer(toNodeHandler(outer)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/emails`
  const headers = {
    authorization: `Bearer ${post.apiKey}`,
    'content-type': 'application/json',
    host: 'app.acme.test',
  }
  const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify(goodMail) })
  expect([sent.status, await sent.json()]).toMatchObject([
    200,
    { id: expect.stringMatching(/^em_/) as string },
  ])
  expect(context).toMatchObject({ _: 'emails' })
  const list = await fetch(url, { headers })
  expect(await list.json()).toMatchObject({ count: 1 })
  server.close()
  server.closeAllConnections()
})

test('answers are ordinary Responses', async () => {
  const { post } = await openInProcess()
  const response = await post.fetch(new Request('http://localpost/dev/health'))
  expect(response).toBeInstanceOf(Response)
  const copy = new Response(response.body, response)
  expect([copy.status, copy.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await copy.json()).toMatchObject({ status: 'ok' })
})
