import type { Provider } from '../provider.ts'
import { resend } from './words.ts'
import { domainRoutes } from './domains.ts'
import { emailRoutes } from './emails.ts'
import { resendFace } from './face.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://resend.com/docs/api-reference */
export const resendProvider: Provider = {
  name: resend,
  face: resendFace,
  routes: (parts) => [...emailRoutes(parts), ...domainRoutes(parts), ...webhookRoutes(parts)],
  connect: {
    variables: { RESEND_BASE_URL: '{url}/resend', RESEND_API_KEY: '{key}' },
    code: `import { Resend } from 'resend'

const resend = new Resend('{key}', { baseUrl: '{url}/resend' })
const { data, error } = await resend.emails.send({
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'It works.',
})`,
  },
}
