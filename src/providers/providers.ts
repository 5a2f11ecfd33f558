import type { Face } from '../server/face.ts'
import type { Route } from '../server/route.ts'
import { mailgunFace } from './mailgun/face.ts'
import { mailhogFace } from './mailhog/face.ts'
import { mailpitFace } from './mailpit/face.ts'
import { postmarkFace } from './postmark/face.ts'
import type { Provider, ProviderParts } from './provider.ts'
import { resendFace } from './resend/face.ts'
import { sendgridFace } from './sendgrid/face.ts'
import { sesV1Face } from './ses-v1/face.ts'
import { sesFace } from './ses/face.ts'

/** All providers whose APIs Localpost has. */
export const providers: readonly Provider[] = [
  { face: resendFace, load: async () => (await import('./resend/resend.ts')).resendRoutes },
  { face: sesFace, load: async () => (await import('./ses/ses.ts')).sesRoutes },
  { face: sesV1Face, load: async () => (await import('./ses-v1/actions.ts')).actionRoutes },
  { face: postmarkFace, load: async () => (await import('./postmark/postmark.ts')).postmarkRoutes },
  { face: sendgridFace, load: async () => (await import('./sendgrid/sendgrid.ts')).sendgridRoutes },
  { face: mailgunFace, load: async () => (await import('./mailgun/mailgun.ts')).mailgunRoutes },
  { face: mailpitFace, load: async () => (await import('./mailpit/routes.ts')).mailpitRoutes },
  { face: mailhogFace, load: async () => (await import('./mailhog/routes.ts')).mailhogRoutes },
]

/**
 * Loads the routes of providers, with one account behind them.
 *
 * @param faces  Whose routes. Default: those of all providers.
 */
export async function providerRoutes(
  parts: ProviderParts,
  faces: readonly Face[] = providers.map(({ face }) => face),
): Promise<Route[]> {
  const wanted = providers.filter(({ face }) => faces.includes(face))
  const loaded = await Promise.all(wanted.map(({ load }) => load()))
  return loaded.flatMap((routesOf) => routesOf(parts))
}
