import type { Route } from '../server/route.ts'
import type { Provider, ProviderParts } from './provider.ts'
import { mailgunProvider } from './mailgun/mailgun.ts'
import { mailhogProvider } from './mailhog/mailhog.ts'
import { mailpitProvider } from './mailpit/mailpit.ts'
import { postmarkProvider } from './postmark/postmark.ts'
import { resendProvider } from './resend/resend.ts'
import { sendgridProvider } from './sendgrid/sendgrid.ts'
import { sesV1Provider } from './ses-v1/ses-v1.ts'
import { sesProvider } from './ses/ses.ts'

/** All providers whose APIs Localpost has. */
export const providers: readonly Provider[] = [
  resendProvider,
  sesProvider,
  sesV1Provider,
  postmarkProvider,
  sendgridProvider,
  mailgunProvider,
  mailpitProvider,
  mailhogProvider,
]

/** The rows of all providers, with one account behind them. */
export function providerRoutes(parts: ProviderParts): Route[] {
  return providers.flatMap((provider) => provider.routes(parts))
}
