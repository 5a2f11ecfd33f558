import { expect, it, onTestFinished } from 'vitest'
import { createOutgoing } from '../../src/net/outgoing.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { submit } from '../support/submit.ts'
import { site } from './_site.ts'

async function start(): Promise<Localpost> {
  const post = await createLocalpost()
  onTestFinished(() => post.close())
  return post
}

async function asked(post: Localpost, html: string) {
  const id = await submit(post, { subject: 'Hello', html })
  const { checks, findings } = await post.inbox.check(id, { live: true })
  return {
    run: checks.find((run) => run.id === 'live-links'),
    found: findings
      .filter((one) => one.id === 'live-links')
      .map(({ severity, message }) => `${severity}: ${message}`),
  }
}

it('each link and image is requested once, and the finding says what is wrong', async () => {
  const { url, asked: requests } = await site((request, response) => {
    const path = request.url ?? ''
    if (path === '/get-only' && request.method === 'HEAD') return response.writeHead(405).end()
    if (path === '/moved') return response.writeHead(302, { location: '/gone' }).end()
    if (path === '/round') return response.writeHead(301, { location: '/round' }).end()
    if (path === '/script') return response.writeHead(301, { location: 'javascript:x' }).end()
    if (path === '/login') return response.writeHead(403).end()
    if (path === '/page.png') return response.writeHead(200, { 'content-type': 'text/html' }).end()
    response.writeHead(path === '/gone' || path === '/no.png' ? 404 : 200).end('body')
  })
  const paths = ['/fine', '/fine#part', '/get-only', '/gone', '/moved', '/round', '/script', '/login']
  const links = paths.map((path) => `<a href="${url}${path}">Go</a>`).join('')
  const images = ['/no.png', '/page.png', '/fine.png']
    .map((path) => `<img src="${url}${path}" alt="x">`)
    .join('')
  const { run, found } = await asked(await start(), links + images)
  expect(run).toMatchObject({
    outcome: 'found',
    severity: 'error',
    message: '10 of 10 addresses were asked.',
  })
  const words = found.map((one) => one.replaceAll(url, '').replace(/\(\d+ ms\)/, '(n ms)'))
  expect(words.toSorted()).toEqual(
    [
      'error: The link /gone answers 404 (n ms).',
      'error: The link /moved answers 404 after a redirect (n ms).',
      'error: The link /round cannot be opened after 5 redirects: it redirects more than 5 times.',
      'error: The link /script cannot be opened: it redirects to "javascript:x".',
      'warning: The link /login answers 403 (n ms).',
      'error: The image /no.png answers 404 (n ms).',
      'error: The image /page.png is text/html, not an image.',
    ].toSorted(),
  )
  expect(requests.filter((one) => one.endsWith(' /fine'))).toEqual(['HEAD /fine'])
  expect(requests.filter((one) => one.endsWith(' /get-only'))).toEqual(['HEAD /get-only', 'GET /get-only'])
})

it('nothing is asked without a request, and on request not where `allowOutgoing` does not allow it', async () => {
  const { url, asked: requests } = await site((_, response) => response.end())
  const post = await start()
  const html = `<a href="${url}/x">x</a><a href="https://acme.test/x">x</a><a href="http://10.0.0.1/">x</a>`
  const id = await submit(post, { subject: 'Hello', html })
  const { checks } = await post.inbox.check(id)
  expect(checks.map((run) => run.id)).not.toContain('live-links')
  expect(requests).toEqual([])
  const { run } = await asked(post, html)
  expect(run?.message).toBe(
    '1 of 3 addresses were asked; 2 may not be: acme.test is not this machine; allow it with `allowOutgoing`, 10.0.0.1 is in a private network; allow these with `attachments.allowPrivate` or `allowOutgoing`.',
  )
  expect(requests).toEqual(['HEAD /x'])
  const links = Array.from({ length: 101 }, (_, at) => `<a href="https://acme.test/${at}">x</a>`)
  const foreign = await asked(post, links.join(''))
  expect(foreign.run).toMatchObject({ outcome: 'skipped' })
  expect(foreign.run?.message).toContain('; 1 are left, for lack of time or because there are more than 100')
})

it('a link that redirects to where `allowOutgoing` does not allow it was asked itself', async () => {
  const { url } = await site((_, response) =>
    response.writeHead(302, { location: 'https://acme.test/x' }).end(),
  )
  const { run, found } = await asked(await start(), `<a href="${url}/moved">x</a>`)
  expect(run).toMatchObject({ outcome: 'found', message: '1 of 1 addresses were asked.' })
  expect(found).toEqual([
    `note: The link ${url}/moved redirects to https://acme.test/x, which was not asked: acme.test is not this machine; allow it with \`allowOutgoing\`.`,
  ])
})

it.each([
  [[], 'acme.test', null, false],
  [[], '127.0.0.1', '127.0.0.1', true],
  [[], 'localhost', null, true],
  [[], '8.8.8.8', '8.8.8.8', false],
  [['acme.test'], 'acme.test', null, true],
  [['acme.test'], 'acme.test', '8.8.8.8', true],
  [['acme.test:8443'], 'acme.test', null, false],
  [['8.8.8.0/24'], 'acme.test', null, true],
  [['8.8.8.0/24'], 'acme.test', '9.9.9.9', false],
  [['0.0.0.0/0'], 'acme.test', '169.254.169.254', false],
])('with %j, a link to %s at %s may be asked: %s', (allow, host, address, may) => {
  const { liveProblemOf } = createOutgoing(allow)
  expect(liveProblemOf({ host, address, port: 443 }) === null).toBe(may)
})

it('tracked links of this Localpost are not asked, so no click is recorded', async () => {
  const post = await start()
  const { url } = await post.listen({ port: 0 })
  const { url: page, asked: requests } = await site((_, response) => response.end())
  const id = await submit(post, {
    subject: 'Hello',
    html: `<a href="${url}/t/c/abc">x</a><a href="${url}/dev/health">x</a><a href="${page}/y">x</a>`,
  })
  const { checks } = await post.inbox.check(id, { live: true })
  expect(checks.find((run) => run.id === 'live-links')?.message).toMatch(
    /^1 of 2 addresses were asked; 1 may not be: 127\.0\.0\.1 is this Localpost itself/,
  )
  expect(requests).toEqual(['HEAD /y'])
})

it('a link that does not answer ends with its caller', async () => {
  const { url, asked: requests } = await site(() => {})
  const post = await start()
  const id = await submit(post, { subject: 'Hello', html: `<a href="${url}/x">x</a>` })
  const caller = new AbortController()
  const checking = post.inbox.check(id, { live: true, signal: caller.signal })
  await expect.poll(() => requests).toEqual(['HEAD /x'])
  caller.abort(new Error('gone'))
  await expect(checking).rejects.toThrow('gone')
})

it('the control API asks on request', async () => {
  const { url } = await site((_, response) => response.writeHead(404).end())
  const post = await start()
  const id = await submit(post, { subject: 'Hello', html: `<a href="${url}/x">x</a>` })
  const answer = await post.fetch(new Request(`http://localpost/dev/inbox/${id}/checks?live=true`))
  const { findings } = (await answer.json()) as { findings: { id: string; message: string }[] }
  expect(findings.find((one) => one.id === 'live-links')?.message).toContain('answers 404')
})
