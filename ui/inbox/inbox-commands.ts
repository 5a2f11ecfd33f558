import { type Command, useCommands } from '../composables/commands.ts'
import type { InboxList } from '../composables/inbox.ts'
import type { OpenMail } from '../composables/open-mail.ts'
import type { Actions } from './actions.ts'
import type { Selection } from './selection.ts'
import { mailTabs } from './tabs.ts'

export interface InboxDeeds {
  inbox: InboxList
  open: OpenMail
  selection: Selection
  actions: Actions
  /** The mail that the keys are at. */
  picked: () => string | null
  move(by: 1 | -1): void
  openCurrent(): void
  close(): void
  search(): void
  release(): void
  showTab(at: number): void
  addTag(): void
  pickFiles(): void
}

/** What the inbox adds to the palette and the keys, for as long as it is there. */
export function useInboxCommands(deeds: InboxDeeds): void {
  const { inbox, open, selection, actions } = deeds
  const isOpen = (): boolean => open.mail.value !== null
  const hasMail = (): boolean => inbox.emails.value.length > 0
  const hasSelection = (): boolean => selection.count.value > 0
  const mail: Command[] = [
    { id: 'next', words: 'Next mail', keys: 'j', run: () => deeds.move(1) },
    { id: 'previous', words: 'Previous mail', keys: 'k', run: () => deeds.move(-1) },
    { id: 'open', words: 'Open the mail', keys: 'o', run: deeds.openCurrent },
    { id: 'delete', words: 'Delete the mail', keys: '#', isOn: isOpen, run: () => void deleteMail() },
    {
      id: 'unread',
      words: 'Mark as read or unread',
      keys: 'u',
      isOn: isOpen,
      run() {
        const { value } = open.mail
        if (value) void actions.setUnread(value.id, !value.unread)
      },
    },
    { id: 'tag', words: 'Add a tag', keys: 't', isOn: isOpen, run: deeds.addTag },
    { id: 'release', words: 'Release to a real address', keys: 'r', isOn: isOpen, run: deeds.release },
    ...mailTabs.map((tab, at) => ({
      id: `tab-${tab}`,
      words: `Show ${tab}`,
      keys: String(at + 1),
      isOn: isOpen,
      run: () => deeds.showTab(at),
    })),
    { id: 'close', words: 'Back to the list', keys: 'Escape', run: deeds.close },
  ].map((command) => ({ ...command, group: 'Mail' }))
  const selected: Command[] = [
    {
      id: 'pick',
      words: 'Select the mail',
      keys: 'x',
      isOn: hasMail,
      run() {
        const id = deeds.picked() ?? inbox.emails.value[0]?.id
        if (id !== undefined) selection.toggle(id)
      },
    },
    { id: 'pick-all', words: 'Select all matches', keys: '* a', isOn: hasMail, run: selection.all },
    {
      id: 'picked-read',
      words: 'Mark the selection as read',
      isOn: hasSelection,
      run: () => void actions.setPickedUnread(false),
    },
    {
      id: 'picked-export',
      words: 'Export the selection',
      isOn: hasSelection,
      run: actions.exportPicked,
    },
  ].map((command) => ({ ...command, group: 'Selection' }))
  const whole: Command[] = [
    { id: 'search', words: 'Search mails', keys: '/', run: deeds.search },
    { id: 'find-unread', words: 'Show unread mails', run: () => void (inbox.query.value = 'is:unread') },
    { id: 'read-all', words: 'Mark all as read', isOn: hasMail, run: () => void actions.markAllRead() },
    { id: 'export', words: 'Export what the list shows', isOn: hasMail, run: actions.exportAll },
    { id: 'import', words: 'Import .eml files', run: deeds.pickFiles },
    {
      id: 'delete-all',
      words: 'Delete what the list shows',
      isOn: hasMail,
      run: () => void actions.removeAll(),
    },
  ].map((command) => ({ ...command, group: 'Inbox' }))
  useCommands().add([...mail, ...selected, ...whole])

  /** The selection where there is one, else the open mail. */
  function deleteMail(): Promise<void> {
    return hasSelection() ? actions.removePicked() : actions.removeOpen()
  }
}
