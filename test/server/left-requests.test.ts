import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createJobQueue } from '../../src/core/job-queue.ts'
import type { ServerDeps } from '../../src/server/deps.ts'
import { hollowApp } from './validate-response.ts'

const clients = 50
const message = Buffer.alloc(1_100_000, 'A line of a long message.\r\n')

/** Serves an app without its other parts. @returns Its port. */
async function serve(deps: Partial<ServerDeps>): Promise<number> {
  const app = hollowApp(deps)
  const server = createServer((incoming, response) => app.nodeHandler(incoming, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

it(
  'clients that leave while their long requests wait give up their places',
  { timeout: 120_000 },
  async () => {
    const queue = createJobQueue(systemClock, 1, clients)
    let waiting = 0
    const large: ServerDeps['large'] = {
      run(job, patienceMs, signal) {
        waiting++
        return queue.run(job, patienceMs, signal).finally(() => waiting--)
      },
    }
    let imports = 0
    const inbox = {
      bulk: { onProgress: () => undefined },
      removals: { onChanged: () => undefined },
      import: async () => ({ id: `email_${++imports}` }),
    }
    const port = await serve({ large, inbox: inbox as unknown as ServerDeps['inbox'] })
    const send = (): ReturnType<typeof request> =>
      request({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/dev/inbox/import',
        agent: false,
        headers: { authorization: 'Bearer the-only-key-there-is', 'content-type': 'message/rfc822' },
      })
        .on('error', () => undefined)
        .end(message)

    let finish = (): void => undefined
    const first = queue.run(() => new Promise<void>((resolve) => (finish = resolve)), 60_000)
    const left = Array.from({ length: clients }, send)
    await expect.poll(() => waiting, { timeout: 60_000 }).toBe(clients)
    for (const each of left) each.destroy()
    await expect.poll(() => waiting, { timeout: 60_000 }).toBe(0)

    const next = send()
    await expect.poll(() => waiting, { timeout: 60_000 }).toBe(1)
    finish()
    await first
    const [response] = (await once(next, 'response')) as [{ statusCode: number; resume(): void }]
    response.resume()
    expect(response.statusCode).toBe(200)
    expect(imports).toBe(1)
  },
)

it('work that ends because its client left is no fault of the server; another error of such work is', async () => {
  const errors: unknown[] = []
  let waiting = 0
  const fault = new TypeError('The work itself failed.')
  const inbox = {
    bulk: { onProgress: () => undefined },
    removals: { onChanged: () => undefined },
    async check(id: string, { signal }: { signal: AbortSignal }) {
      waiting++
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      waiting--
      throw id === 'faulty' ? fault : signal.reason
    },
  }
  const port = await serve({
    inbox: inbox as unknown as ServerDeps['inbox'],
    onError: (error) => errors.push(error),
  })
  for (const id of ['left', 'faulty']) {
    const headers = { authorization: 'Bearer the-only-key-there-is' }
    const asked = request({ port, host: '127.0.0.1', path: `/dev/inbox/${id}/checks`, agent: false, headers })
    asked.on('error', () => undefined).end()
    await expect.poll(() => waiting).toBe(1)
    asked.destroy()
    await expect.poll(() => waiting).toBe(0)
  }
  await expect.poll(() => errors).toEqual([fault])
})
