import { createLocalpost } from 'localpost'

/**
 * The instance of this process, from the first request on. Next loads a module anew after each change, once per bundle,
 * and in processes that answer nothing: one instance stands here, and none where nobody asks for it.
 */
export function localpost() {
  globalThis.localpost ??= createLocalpost({
    apiKeys: ['lp_development'],
    smtpPort: Number(process.env.SMTP_PORT ?? 1025),
  })
  return globalThis.localpost
}
