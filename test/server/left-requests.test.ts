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
      import: async () => ({ id: `email_${++imports}` }),
    }
    const app = hollowApp({ large, inbox: inbox as unknown as ServerDeps['inbox'] })
    const server = createServer((incoming, response) => app.nodeHandler(incoming, response))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
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
