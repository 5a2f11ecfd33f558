import { expect, it } from 'vitest'
import type { Webhook } from '../../src/webhooks/types.ts'
import { testEvent } from '../../ui/views/webhooks/test-event.ts'

const webhook = (...events: Webhook['events']): Webhook => ({
  id: 'wh',
  url: 'http://x.test',
  secret: '',
  events,
})
const [success, bounce, clicked, opened] = ['success', 'bounce', 'clicked', 'opened'].map(
  (name) => `${name}@simulator.localpost`,
)

it.each<[words: string, webhooks: Webhook[], to: (string | undefined)[]]>([
  [`Sends a mail to ${success}; the webhook gets its events.`, [webhook('*')], [success]],
  [`Sends a mail to ${bounce}; the webhook gets its events.`, [webhook('email.bounced')], [bounce]],
  [
    `Sends a mail to ${success} and ${clicked}; all webhooks get its events.`,
    [webhook('email.*'), webhook('email.clicked', 'domain.*'), webhook('email.delivered')],
    [success, clicked],
  ],
  [
    `Sends a mail to ${success}, ${opened} and ${clicked}; all webhooks get its events.`,
    [webhook('*'), webhook('email.opened'), webhook('email.clicked')],
    [success, opened, clicked],
  ],
  [
    `Sends a mail to ${bounce}; 1 of 3 webhooks gets its events.`,
    [webhook('domain.*'), webhook('email.bounced'), { ...webhook('*'), disabled: true }],
    [bounce],
  ],
  ['No webhook gets events that a test mail has.', [{ ...webhook('*'), disabled: true }], []],
  ['No webhook gets events that a test mail has.', [webhook('email.failed', 'domain.created')], []],
])('%s', (words, webhooks, to) => {
  expect(testEvent(webhooks)).toEqual({ to, words })
})
