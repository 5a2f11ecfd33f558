import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createMailer } from './mailer.js'

/**
 * A small app with a sign-up: `POST /signup` sends a mail with a link and a code, `GET /verify` takes either.
 *
 * @param {Parameters<typeof createMailer>[0]} mail  Where it sends mail to.
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startApp(mail) {
  const send = createMailer(mail)
  const signUps = new Map()

  const routes = {
    'GET /': () => page('Sign up', form),
    'POST /signup': async (fields) => {
      const email = fields.get('email') ?? ''
      const signUp = { email, code: String(randomInt(100_000, 1_000_000)), isVerified: false }
      const token = randomBytes(16).toString('base64url')
      signUps.set(token, signUp)
      const link = `${url}/verify?token=${token}`
      await send({
        from: 'Acme <hello@acme.test>',
        to: email,
        subject: 'Confirm your address',
        text: `Your code is ${signUp.code}. Or follow ${link}`,
        html: `<p>Your code is <b>${signUp.code}</b>. Or <a href="${link}">confirm your address</a>.</p>`,
      })
      return page('Look into your inbox', '<p>We sent you a mail.</p>')
    },
    'GET /verify': (fields) => {
      const signUp =
        signUps.get(fields.get('token')) ??
        [...signUps.values()].find(
          ({ code, email }) => code === fields.get('code') && email === fields.get('email'),
        )
      if (!signUp) return page('Nothing to confirm', '', 404)
      signUp.isVerified = true
      return page('Welcome', '<p>Your address is confirmed.</p>')
    },
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://app')
    const route = routes[`${request.method} ${pathname}`] ?? (() => page('Not found', '', 404))
    const fields = request.method === 'POST' ? new URLSearchParams(await bodyOf(request)) : searchParams
    try {
      const { status, body } = await route(fields)
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body)
    } catch (error) {
      response.writeHead(502).end(String(error))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  return {
    url,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const form = `<form method="post" action="/signup">
  <label>Email <input name="email" type="email" required></label>
  <button>Sign up</button>
</form>`

const page = (title, content, status = 200) => ({
  status,
  body: `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${content}`,
})

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
