import { createServer } from 'node:http'
import { once } from 'node:events'
import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2'

/**
 * An app that invites people, and never writes again to an address whose mail bounced. It is handed the settings of its
 * client of SES, and where subscriptions of SNS may be confirmed; it knows nothing of Localpost.
 *
 * In production it would also check the signatures of SNS, by `sns-validator` for example.
 */
export async function startApp({ ses, confirmAt, ConfigurationSetName }) {
  const client = new SESv2Client(ses)
  const bounced = new Set()

  async function invite(to) {
    if (bounced.has(to)) return 409
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: 'Acme <hi@acme.test>',
        Destination: { ToAddresses: [to] },
        ConfigurationSetName,
        Content: {
          Simple: {
            Subject: { Data: 'Join the team' },
            Body: { Text: { Data: 'Your code is 482913.' } },
          },
        },
      }),
    )
    return 202
  }

  async function take({ Type, Message, SubscribeURL }) {
    if (Type === 'SubscriptionConfirmation') {
      if (!SubscribeURL.startsWith(confirmAt)) return 400
      return (await fetch(SubscribeURL)).status
    }
    const { eventType, bounce } = JSON.parse(Message)
    if (eventType === 'Bounce' && bounce.bounceType === 'Permanent')
      for (const { emailAddress } of bounce.bouncedRecipients) bounced.add(emailAddress)
    return 200
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const given = JSON.parse(body)
    const status = await (request.url === '/sns' ? take(given) : invite(given.to)).catch(
      (error) => error.$metadata?.httpStatusCode ?? 500,
    )
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bounced,
    close() {
      client.destroy()
      server.close()
    },
  }
}
