/** The parts that `reset` may keep. API keys always stay. */
export const resetScopes = ['emails', 'domains', 'audiences', 'templates', 'rules', 'webhooks'] as const

/** One of {@link resetScopes}. */
export type ResetScope = (typeof resetScopes)[number]
