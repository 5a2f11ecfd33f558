import type { CommandName } from '../../composables/commands.ts'
import { mailTabs } from './tabs.ts'

/** Names and keys of the inbox commands, for help in other rooms. */
export const inboxKeys = [
  { id: 'next', words: 'Next mail', group: 'Mail', keys: 'j' },
  { id: 'previous', words: 'Previous mail', group: 'Mail', keys: 'k' },
  { id: 'open', words: 'Open the mail', group: 'Mail', keys: 'o' },
  { id: 'delete', words: 'Delete the mail', group: 'Mail', keys: '#' },
  { id: 'undo', words: 'Undo the last deletion', group: 'Mail', keys: 'z' },
  { id: 'unread', words: 'Mark as read or unread', group: 'Mail', keys: 'u' },
  { id: 'tag', words: 'Add a tag', group: 'Mail', keys: 't' },
  { id: 'links', words: 'Go to the links (1 to 9 opens one)', group: 'Mail', keys: 'l' },
  { id: 'files', words: 'Go to the attachments (1 to 9 opens one)', group: 'Mail', keys: 'a' },
  { id: 'code', words: 'Copy the code', group: 'Mail', keys: 'y' },
  { id: 'width', words: 'Next width of the mail', group: 'Mail', keys: 'w' },
  { id: 'release', words: 'Release to a real address', group: 'Mail', keys: 'r' },
  {
    id: 'compare',
    words: 'Compare with the last mail with this subject, or the two selected',
    group: 'Mail',
    keys: 'c',
  },
  { id: 'fill', words: 'Full screen', group: 'Mail', keys: 'f' },
  ...mailTabs.map((tab, at) => ({
    id: `tab-${tab}` as const,
    words: `Show ${tab}`,
    group: 'Mail' as const,
    keys: String(at + 1),
  })),
  { id: 'close', words: 'Back to the list', group: 'Mail', keys: 'Escape' },
  { id: 'pick', words: 'Select the mail', group: 'Selection', keys: 'x' },
  { id: 'pick-all', words: 'Select all matches', group: 'Selection', keys: '* a' },
  { id: 'picked-read', words: 'Mark the selection as read', group: 'Selection' },
  { id: 'picked-export', words: 'Export the selection', group: 'Selection' },
  { id: 'search', words: 'Search mails', group: 'Inbox', keys: '/' },
  { id: 'find-unread', words: 'Show unread mails', group: 'Inbox' },
  { id: 'find-tag', words: 'Filter by the next tag', group: 'Inbox', keys: 'T' },
  { id: 'read-all', words: 'Mark all as read', group: 'Inbox' },
  { id: 'export', words: 'Export what the list shows', group: 'Inbox' },
  { id: 'import', words: 'Import .eml files', group: 'Inbox' },
  { id: 'density', words: 'Compact or comfortable rows', group: 'Inbox', keys: 'd' },
  { id: 'alone', words: 'Whole width for the list while no mail is open, or not', group: 'Inbox' },
  { id: 'threads', words: 'Group conversations, or not', group: 'Inbox' },
  { id: 'notify', words: 'Desktop notifications on or off', group: 'Inbox' },
  { id: 'delete-all', words: 'Delete what the list shows', group: 'Inbox', keys: 'D' },
] as const satisfies readonly CommandName[]

export type InboxCommand = (typeof inboxKeys)[number]['id']
