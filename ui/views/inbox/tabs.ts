/** The sides of a mail, in their order; the keys 1 to 7 choose them. */
export const mailTabs = ['HTML', 'Text', 'Source', 'Headers', 'Attachments', 'Events', 'Checks'] as const
export type MailTab = (typeof mailTabs)[number]
