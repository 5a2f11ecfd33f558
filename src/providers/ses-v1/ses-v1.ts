import type { Provider } from '../provider.ts'
import { actionRoutes } from './actions.ts'
import { sesV1Face } from './face.ts'

/** The first version of the API, which older clients speak. @see https://docs.aws.amazon.com/ses/latest/APIReference/ */
export const sesV1Provider: Provider = {
  name: 'ses-v1',
  face: sesV1Face,
  routes: actionRoutes,
  connect: {
    variables: {
      AWS_ENDPOINT_URL_SES: '{url}/ses-v1',
      AWS_ACCESS_KEY_ID: '{key}',
      AWS_SECRET_ACCESS_KEY: 'any',
      AWS_REGION: 'us-east-1',
    },
    code: `import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses'

const client = new SESClient({
  endpoint: '{url}/ses-v1',
  region: 'us-east-1',
  credentials: { accessKeyId: '{key}', secretAccessKey: 'any' },
})
const { MessageId } = await client.send(
  new SendEmailCommand({
    Source: 'Acme <hi@acme.test>',
    Destination: { ToAddresses: ['ada@example.com'] },
    Message: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'It works.' } } },
  }),
)`,
  },
}
