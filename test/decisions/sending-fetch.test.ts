import { describe, expect, it } from 'vitest'
import { attachmentSources } from '../../src/instance/outbound.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { resolveOptions } from '../../src/options/options.ts'
import { createOutgoing } from '../../src/net/outgoing.ts'
import { attached, open, shared, statusesOf } from './helpers.ts'
import { serve } from './servers.ts'

const face = shared({ attachments: { timeoutMs: 2000 } })

describe('fetching a URL', () => {
  it('sending.attachment-fetch: it begins after the answer, and the email waits for it', async () => {
    let answer: () => void = () => undefined
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(request.url ?? '')
      answer = () => response.end('late')
    })
    const id = await face().send({
      attachments: [{ filename: 'a.txt', path: `${url}/late` }],
    })
    expect(asked).toEqual([])
    await expect.poll(() => asked).toEqual(['/late'])
    expect((await face().detail(id)).last_event.status).toBe('sent')
    answer()
    expect((await face().settled(id)).last_event.status).toBe('delivered')
  })

  it('sending.attachment-fetch: where a URL cannot be fetched, every recipient soon has the event `failed`', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/404') response.writeHead(404).end()
      else if (request.url === '/500') response.writeHead(500).end('x')
      else if (request.url === '/cut')
        response.writeHead(200, { 'content-length': '9' }).write('a', () => response.destroy())
      else response.destroy()
    })
    const started = Date.now()
    for (const path of [
      `${url}/404`,
      `${url}/500`,
      `${url}/cut`,
      `${url}/reset`,
      'http://127.0.0.1:1/',
      'http://no.invalid/',
    ]) {
      const id = await face().send({
        to: 'a@x.test',
        cc: 'b@x.test',
        attachments: [{ filename: 'a', path }],
      })
      const email = await face().settled(id)
      expect(statusesOf(email), path).toEqual({
        'a@x.test': ['sent', 'failed'],
        'b@x.test': ['sent', 'failed'],
      })
    }
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it('sending.attachment-fetch: it may take ten seconds; the option `attachments.timeoutMs` changes this', async () => {
    expect(resolveOptions().attachments.timeoutMs).toBe(10_000)
    const silent = await serve(() => undefined)
    const slow = await serve((_, response) => void response.write('a'))
    const hasty = await open({ attachments: { timeoutMs: 200 } })
    for (const path of [silent, slow]) expect(await attached(hasty, path)).toMatch(/^failed: .*within 200 ms/)
  })

  it('sending.attachment-fetch: three redirects are followed, a fourth is not', async () => {
    const url = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('there')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect(await attached(face(), `${url}/3`)).toBe('there')
    expect(await attached(face(), `${url}/4`)).toMatch(/^failed: .*redirects/)
  })
})

describe('addresses that may be fetched from', () => {
  const never = [
    'http://169.254.1.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.100.100.200/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
    'http://[ff02::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
  ]
  const priv = ['http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.0.1/', 'http://[fc00::1]/']

  it('sending.attachment-addresses: link-local, metadata and multicast addresses are refused, also by redirect', async () => {
    const asking = await open({
      attachments: { allowPrivate: true, timeoutMs: 1000 },
    })
    const url = await serve((request, response) => {
      response.writeHead(307, { location: never[Number(request.url?.slice(1))] }).end()
    })
    for (const [i, path] of never.entries()) {
      expect(await attached(asking, path), path).toMatch(/link-local, metadata, multicast/)
      expect(await attached(asking, `${url}/${i}`), `redirect to ${path}`).toMatch(
        /link-local, metadata, multicast/,
      )
    }
  })

  it('sending.attachment-addresses: private ranges by option only, also by redirect', async () => {
    const asking = await open({ attachments: { timeoutMs: 5000 } })
    const url = await serve((request, response) => {
      response.writeHead(308, { location: priv[Number(request.url?.slice(1))] }).end()
    })
    for (const [i, path] of priv.entries())
      for (const asked of [path, `${url}/${i}`])
        expect(await attached(asking, asked), asked).toMatch(/private network/)
    // The decision alone: a connection would leave this machine.
    const sources = attachmentSources(
      resolveOptions({ attachments: { allowPrivate: true } }),
      createOutgoing([]),
    )
    for (const path of priv) {
      const { hostname: host } = new URL(path)
      const to = { host, address: host.replace(/[[\]]/g, ''), port: 80 }
      expect(sources.problemOf(to)).toBeNull()
    }
  })

  it('sending.attachment-addresses: loopback and public addresses are allowed', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      expect(await attached(face(), await serve((_, response) => response.end('here'), host))).toBe('here')
    }
    expect(
      createOutgoing([]).strictProblemOf({
        host: 'x',
        address: '8.8.8.8',
        port: 80,
      }),
    ).toBeNull()
  })

  it('sending.attachment-addresses: the ports of the instance are refused, also by redirect', async () => {
    const asking = await open({ allowOutgoing: ['127.0.0.1', 'localhost'] })
    const { url } = await asking.post.listen()
    for (const own of [`${url}/dev/keys`, `http://127.0.0.1:${asking.post.smtp.port}/`]) {
      const moved = await serve((_, response) => void response.writeHead(307, { location: own }).end())
      for (const path of [own, moved, own.replace('127.0.0.1', 'localhost')])
        expect([path, await attached(asking, path)]).toEqual([
          path,
          expect.stringMatching(/^failed: .*is this Localpost itself/),
        ])
    }
  })

  it('sending.attachment-addresses: attachments may come from a server with the same port number in the other address family', async () => {
    const asking = await open({
      host: '0.0.0.0',
      allowOutgoing: ['127.0.0.1', '::1'],
    })
    const { other, port } = await listenBeside(asking.post)
    expect(await attached(asking, other)).toBe('here')
    for (const own of [`http://127.0.0.1:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`])
      expect(await attached(asking, own)).toMatch(/^failed: .*is this Localpost itself/)
  })

  it('sending.attachment-addresses: off loopback, this machine and its networks need `allowOutgoing`', async () => {
    const url = await serve((_, response) => response.end('here'))
    const { port } = new URL(url)
    const moved = await serve((_, response) => void response.writeHead(307, { location: url }).end(), '::1')
    const refused = /^failed: .*other machines reach this Localpost/
    const refusing = await open({
      host: '0.0.0.0',
      attachments: { allowPrivate: true },
    })
    for (const path of [url, moved, 'http://10.0.0.1/', `http://localhost:${port}/`])
      expect([path, await attached(refusing, path)]).toEqual([path, expect.stringMatching(refused)])
    const halfway = await open({ host: '0.0.0.0', allowOutgoing: ['::1'] })
    expect(await attached(halfway, moved)).toMatch(refused)
    const allowing = await open({
      host: '0.0.0.0',
      allowOutgoing: ['::1', `127.0.0.1:${port}`],
    })
    for (const path of [url, moved]) expect(await attached(allowing, path)).toBe('here')
  })
})

/** Opens the instance's HTTP port with the number of another server's at `::1`, which answers `here`. */
async function listenBeside(post: Localpost): Promise<{ other: string; port: number }> {
  for (let attempt = 0; ; attempt++) {
    const other = await serve((_, response) => response.end('here'), '::1')
    const port = Number(new URL(other).port)
    try {
      await post.listen({ port })
      return { other, port }
    } catch (error) {
      // Another program has the number at an IPv4 address.
      if (attempt === 10) throw error
    }
  }
}
