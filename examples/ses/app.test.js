import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2'
import { expect, test } from 'localpost/vitest'
import { onTestFinished, vi } from 'vitest'
import { startApp } from './app.js'

const ConfigurationSetName = 'invitations'

async function start(localpost, localpostUrl) {
  const ses = {
    endpoint: localpost.providers.ses.url,
    region: 'us-east-1',
    credentials: { accessKeyId: localpost.apiKey, secretAccessKey: 'any' },
    maxAttempts: 1,
  }
  const app = await startApp({ ses, confirmAt: localpostUrl, ConfigurationSetName })
  onTestFinished(() => app.close())
  const webhook = await localpost.webhooks.create({ url: `${app.url}/sns`, shape: 'ses' })
  const client = new SESv2Client(ses)
  await client.send(new CreateConfigurationSetCommand({ ConfigurationSetName }))
  await client.send(
    new CreateConfigurationSetEventDestinationCommand({
      ConfigurationSetName,
      EventDestinationName: 'sns',
      EventDestination: {
        Enabled: true,
        MatchingEventTypes: ['BOUNCE', 'COMPLAINT'],
        SnsDestination: { TopicArn: `arn:aws:sns:us-east-1:000000000000:${webhook.id}` },
      },
    }),
  )
  const invite = async (to) => (await fetch(app.url, { method: 'POST', body: JSON.stringify({ to }) })).status
  return { ...app, invite }
}

test('sends an invitation with a code', async ({ localpost, localpostUrl }) => {
  const app = await start(localpost, localpostUrl)
  expect(await app.invite('ada@example.com')).toBe(202)
  expect(await localpost.inbox.waitFor({ to: 'ada@example.com' })).toHaveCode('482913')
})

test('confirms the subscription, and writes no more to an address that bounced', async ({
  localpost,
  localpostUrl,
}) => {
  const app = await start(localpost, localpostUrl)
  await vi.waitFor(async () => expect((await localpost.webhooks.list()).items[0].confirmed).toBeDefined(), {
    timeout: 10_000,
  })
  expect(await app.invite('bounce@simulator.amazonses.com')).toBe(202)
  await vi.waitFor(() => expect([...app.bounced]).toEqual(['bounce@simulator.amazonses.com']), {
    timeout: 10_000,
  })
  expect(await app.invite('bounce@simulator.amazonses.com')).toBe(409)
})

test('passes on that the provider throttles', async ({ localpost, localpostUrl }) => {
  const app = await start(localpost, localpostUrl)
  await localpost.faults.set({ http: [{ path: '/ses/v2/email/outbound-emails', status: 429, count: 1 }] })
  expect(await app.invite('ada@example.com')).toBe(429)
  expect(await app.invite('ada@example.com')).toBe(202)
})
