import { z } from 'zod'
import type { Scope } from '../../keys/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import { constantMembers } from '../constant-members.ts'
import { sendgridFace } from './face.ts'

const { get } = defineRoutes({ tag: 'Account', access: 'key', face: sendgridFace })

const text = z.string()
const inProfile = ['address', 'address2', 'city', 'company', 'country', 'first_name', 'last_name', 'phone']
const profile = Object.fromEntries([...inProfile, 'state', 'website', 'zip'].map((name) => [name, '']))

/** SendGrid's scopes that an API key of ours has: those of the routes that there are. A new route needs its scope here. */
const scopes: Readonly<Record<Scope, readonly string[]>> = {
  send: ['mail.send', 'mail.batch.create'],
  read: [
    'suppression.bounces.read',
    'suppression.spam_reports.read',
    'suppression.unsubscribes.read',
    'templates.read',
    'templates.versions.read',
    'user.email.read',
    'user.profile.read',
    'user.username.read',
    'user.webhooks.event.settings.read',
  ],
  full: [
    'asm.suppressions.global.create',
    'asm.suppressions.global.delete',
    'suppression.bounces.delete',
    'suppression.spam_reports.delete',
    'templates.create',
    'templates.delete',
    'templates.update',
    'templates.versions.activate.create',
    'templates.versions.create',
    'templates.versions.delete',
    'templates.versions.update',
    'user.scheduled_sends.create',
    'user.webhooks.event.settings.create',
    'user.webhooks.event.settings.delete',
  ],
}

/** What an app asks about its account. Its profile is empty: Localpost has none. */
export function accountRoutes(): Route[] {
  return [
    get('/sendgrid/v3/scopes', {
      summary: 'List what the API key may do',
      success: { schema: z.strictObject({ scopes: z.array(text) }) },
      handler: ({ may }) => ({
        scopes: (['send', 'read', 'full'] as const).flatMap((scope) => (may(scope) ? scopes[scope] : [])),
      }),
    }),
    get('/sendgrid/v3/user/profile', {
      summary: 'Get the profile of the user: its members are empty',
      success: { schema: z.strictObject(constantMembers(profile)) },
      handler: () => profile,
    }),
    get('/sendgrid/v3/user/email', {
      summary: 'Get the email address of the user, which is always the same',
      success: { schema: z.strictObject({ email: text }) },
      handler: () => ({ email: 'user@localpost.test' }),
    }),
    get('/sendgrid/v3/user/username', {
      summary: 'Get the name of the user, which is always the same',
      success: { schema: z.strictObject({ username: text, user_id: z.int() }) },
      handler: () => ({ username: 'localpost', user_id: 1 }),
    }),
  ]
}
