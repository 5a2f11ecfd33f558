import { createServer } from 'node:http'
import { once } from 'node:events'
import { Resend } from 'resend'

/**
 * An app that invites people, and never writes again to an address whose mail bounced. It is handed what it needs of
 * Resend, and knows nothing of Localpost.
 */
export async function startApp({ apiKey, baseUrl }) {
  const resend = new Resend(apiKey, { baseUrl })
  const bounced = new Set()
  let webhookSecret

  async function invite(to) {
    if (bounced.has(to)) return { status: 409 }
    const { error } = await resend.emails.send({
      from: 'Acme <hi@acme.test>',
      to,
      subject: 'Join the team',
      html: '<p>Your code is <b>482913</b>.</p>',
      text: 'Your code is 482913.',
      tags: [{ name: 'kind', value: 'invitation' }],
    })
    return { status: error ? error.statusCode : 202 }
  }

  function take(payload, given) {
    const headers = {
      id: given['svix-id'],
      timestamp: given['svix-timestamp'],
      signature: given['svix-signature'],
    }
    // Throws where the signature is wrong.
    const { type, data } = resend.webhooks.verify({ payload, headers, webhookSecret })
    if (type === 'email.bounced') for (const address of data.to) bounced.add(address)
    return { status: 204 }
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const work =
      request.url === '/hooks' ? () => take(body, request.headers) : () => invite(JSON.parse(body).to)
    const { status } = await Promise.resolve()
      .then(work)
      .catch(() => ({ status: 400 }))
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  return {
    url,
    bounced,
    /** In production this is a form of Resend's dashboard, and an environment variable. */
    async subscribe() {
      const events = ['email.bounced', 'email.complained']
      const { data, error } = await resend.webhooks.create({ endpoint: `${url}/hooks`, events })
      if (error) throw new Error(error.message)
      webhookSecret = data.signing_secret
    },
    close: () => server.close(),
  }
}
