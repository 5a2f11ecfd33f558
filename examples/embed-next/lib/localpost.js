import { createLocalpost } from 'localpost'

// Next loads a module anew after each change, and once per bundle: one instance for the process stands here.
globalThis.localpost ??= createLocalpost({
  apiKeys: ['lp_development'],
  smtpPort: Number(process.env.SMTP_PORT ?? 1025),
})

/** The instance of this process. */
export const localpost = globalThis.localpost
