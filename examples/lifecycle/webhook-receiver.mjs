import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/**
 * An app that is told of events: an HTTP server on a free port of loopback, which believes only what is signed with
 * its secret.
 *
 * @returns `url` and `secret`, for the option `webhooks`; `events`, what was verified, in the order it came; `refused`,
 *   why something was not; and `close`.
 */
export async function openWebhookReceiver() {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = new Webhook(secret)
  // An event may come twice, after an answer that was lost: by its id it is known.
  const events = new Map()
  const refused = []
  const server = createServer((request, response) => {
    text(request)
      .then((body) => events.set(request.headers['webhook-id'], webhook.verify(body, request.headers)))
      .then(() => response.writeHead(204).end())
      .catch((error) => {
        refused.push(error.message)
        response.writeHead(401).end()
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/hooks`,
    secret,
    events: () => [...events.values()],
    refused,
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
