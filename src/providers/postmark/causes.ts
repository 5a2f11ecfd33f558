/** The `cause` of each error that Postmark has a code of its own for, with that code. */
export const codesByCause: Readonly<Record<string, number>> = {
  inactive_recipients: 406,
  too_many_messages: 410,
  cannot_activate: 1003,
}
