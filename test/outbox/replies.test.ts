import { expect, it } from 'vitest'
import { bounceOf, mayBeRetried, parseReply } from '../../src/outbox/replies.ts'

it.each([
  ['550 5.1.1 No such user', 'Permanent', 'General'],
  ['550 No such user', 'Permanent', 'General'],
  ['554 5.6.0 Whatever', 'Permanent', 'General'],
  ['452 4.2.2 Mailbox full', 'Transient', 'MailboxFull'],
  ['552 5.2.2 Mailbox full', 'Transient', 'MailboxFull'],
  ['552 5.3.4 Too large', 'Transient', 'MessageTooLarge'],
  ['550 5.7.1 Refused', 'Transient', 'ContentRejected'],
  ['550 5.7.26 Refused', 'Transient', 'ContentRejected'],
  ['451 4.3.0 Later', 'Transient', 'General'],
  ['421 Bye', 'Transient', 'General'],
  ['550-5.1.1 several\r\n550 5.1.1 lines', 'Permanent', 'General'],
])('the reply %j is a bounce of %s/%s', (text, type, subtype) => {
  expect(bounceOf(parseReply(text))).toEqual({ type, subtype })
})

it('a lost connection is a temporary bounce, and not caused by the recipient', () => {
  const reply = { reply_code: 0, enhanced_code: null, text: 'Connection closed' }
  expect(mayBeRetried(reply)).toBe(true)
  expect(bounceOf(reply)).toEqual({ type: 'Transient', subtype: 'General' })
})
