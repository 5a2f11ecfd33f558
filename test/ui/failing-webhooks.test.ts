import { expect, it } from 'vitest'
import { failingOf } from '../../ui/composables/badges.ts'
import type { WebhookAttempt } from '../../src/webhooks/types.ts'

const tried = (
  webhook_id: string,
  ...errors: (string | null)[]
): Parameters<typeof failingOf>[1][number] => ({
  webhook_id,
  attempts: errors.map((error): WebhookAttempt => ({
    timestamp: 0,
    status: null,
    error,
    duration_ms: 0,
    response: null,
  })),
})

it('finds the webhooks that exist and did not take what was tried last', () => {
  const webhooks = [{ id: 'good' }, { id: 'bad' }, { id: 'new' }, { id: 'off', disabled: true as const }]
  const deliveries = [
    tried('good'),
    tried('good', 'refused', null),
    tried('removed', 'refused'),
    tried('off', 'refused'),
    tried('bad'),
    tried('bad', null, 'refused'),
    tried('good', 'refused'),
  ]
  expect(failingOf(webhooks, deliveries)).toEqual(['bad'])
})
