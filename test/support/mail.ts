/** A valid send request; a test adds or replaces the members it is about. */
export const goodMail = {
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Hello Ada',
} as const
