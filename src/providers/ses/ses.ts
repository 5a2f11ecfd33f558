import type { Provider } from '../provider.ts'
import { accountRoutes } from './account.ts'
import { emailRoutes } from './emails.ts'
import { sesFace } from './face.ts'
import { identityRoutes } from './identities.ts'
import { suppressionRoutes } from './suppression.ts'
import { templateRoutes } from './templates.ts'
import { ses } from './words.ts'

/** Version 2 of the API. @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/Welcome.html */
export const sesProvider: Provider = {
  name: ses,
  face: sesFace,
  routes: (parts) => [
    ...emailRoutes(parts),
    ...templateRoutes(parts),
    ...identityRoutes(parts),
    ...suppressionRoutes(parts),
    ...accountRoutes(parts),
  ],
  connect: {
    variables: {
      AWS_ENDPOINT_URL_SESV2: '{url}/ses',
      AWS_ACCESS_KEY_ID: '{key}',
      AWS_SECRET_ACCESS_KEY: 'any',
      AWS_REGION: 'us-east-1',
    },
    code: `import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'

const client = new SESv2Client({
  endpoint: '{url}/ses',
  region: 'us-east-1',
  credentials: { accessKeyId: '{key}', secretAccessKey: 'any' },
})
const { MessageId } = await client.send(
  new SendEmailCommand({
    FromEmailAddress: 'Acme <hi@acme.test>',
    Destination: { ToAddresses: ['ada@example.com'] },
    Content: {
      Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'It works.' } } },
    },
  }),
)`,
  },
}
