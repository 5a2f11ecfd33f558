/** A send request that is in order; a test adds or replaces what it is about. */
export const goodMail = {
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Hello Ada',
} as const
