import type { SimulatorName } from '../../../src/rules/simulator.ts'
import { isWanted } from '../../../src/webhooks/event-types.ts'
import type { EmailEventType, Webhook } from '../../../src/webhooks/types.ts'
import { countWords } from '../../composables/words.ts'

/** The names of the simulator with the events that a mail to them has, the usual ones first. */
const causes: readonly (readonly [SimulatorName, readonly EmailEventType[]])[] = [
  ['success', ['email.sent', 'email.delivered']],
  ['opened', ['email.opened']],
  ['clicked', ['email.clicked']],
  ['complaint', ['email.complained']],
  ['bounce', ['email.bounced']],
  ['delayed', ['email.delivery_delayed']],
]

/**
 * The recipients of a test mail: of each webhook, one whose events it gets.
 *
 * @returns No recipients if no webhook gets the events of a mail; and which webhooks get some, in words.
 */
export function testEvent(webhooks: readonly Webhook[]): { to: string[]; words: string } {
  const names = webhooks.flatMap(({ disabled, events }) => {
    const cause = causes.find(([, types]) => types.some((type) => isWanted(type, events)))
    return cause && !disabled ? cause[0] : []
  })
  const to = [...new Set(names)].map((name) => `${name}@simulator.localpost`)
  if (to.length === 0) return { to, words: 'No webhook gets events that a test mail has.' }
  const all = webhooks.length === 1 ? 'the webhook gets' : 'all webhooks get'
  const who =
    names.length === webhooks.length
      ? all
      : `${names.length} of ${countWords(webhooks.length, 'webhook')} ${names.length === 1 ? 'gets' : 'get'}`
  return { to, words: `Sends a mail to ${new Intl.ListFormat('en-GB').format(to)}; ${who} its events.` }
}
