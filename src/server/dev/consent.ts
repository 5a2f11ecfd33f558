import { LocalpostError } from '../../core/errors.ts'
import { z } from 'zod'
import type { RemoteContent } from '../../mime/html/remote-content.ts'
import type { Tracking } from '../../tracking/tracking.ts'
import { defineRoutes, type Route, type RouteContext } from '../define-routes.ts'

const { post } = defineRoutes({ tag: 'Inbox', access: 'local' })

/** How readers consent to the remote content of a mail. */
export type Consent = Pick<Tracking, 'consentTo' | 'isConsentTo'>

/** `/dev/inbox/{id}/consent`. A POST, because an address in a mail can only cause a GET. */
export function consentRoutes(consent: Consent): Route[] {
  return [
    post('/dev/inbox/{id}/consent', {
      needs: 'read',
      summary: 'Consent to the remote content of a mail: answers the token that its HTML takes as `consent`',
      success: { schema: consentSchema },
      handler: async ({ params }) => ({ token: await consent.consentTo(params.id) }),
    }),
  ]
}

const consentSchema = z.strictObject({
  token: z.string().describe('Valid for this mail and for one day'),
})

/** The parameter of routes that answer with the HTML of a mail. */
export const consentQuery: z.ZodType<string | undefined> = z
  .string()
  .max(500)
  .optional()
  .describe(
    'The token of `POST /dev/inbox/{id}/consent`, which remote content needs if the request has neither an API key nor the header `X-Localpost-Page`',
  )

/** @throws consent_required for remote content without consent. */
export function assertConsent(
  consent: Consent,
  { params, mayComeFromMail }: Pick<RouteContext<{ id: string }>, 'params' | 'mayComeFromMail'>,
  remote: RemoteContent,
  token: string | undefined,
): void {
  if (remote === 'none' || !mayComeFromMail()) return
  if (token !== undefined && consent.isConsentTo(params.id, token)) return
  throw consentRequired(
    'This would load the remote content of a mail',
    'Send an API key or the header `X-Localpost-Page: 1`, or the token of `POST /dev/inbox/{id}/consent` as `consent`.',
  )
}

/**
 * The error for a request that would make the browser or the server connect to addresses in a mail, without consent of
 * the reader.
 */
export function consentRequired(what: string, how: string): LocalpostError {
  const message = `${what}, which an address alone cannot ask for, because a mail may contain it. ${how}`
  return new LocalpostError('consent_required', message)
}
