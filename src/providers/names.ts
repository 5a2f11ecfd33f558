/**
 * The providers that apps send through, each by the first segment of its paths. Each has a member in `post.providers`,
 * and faults. Mailpit and MailHog, whose APIs read mail, are only in `providers.ts`.
 */
export const providerNames = ['resend', 'ses', 'ses-v1', 'postmark', 'sendgrid', 'mailgun'] as const

/** The name of a provider: `resend`. */
export type ProviderName = (typeof providerNames)[number]
