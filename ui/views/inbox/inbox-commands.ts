import { type Command, useCommands } from '../../composables/commands.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { OpenMail } from '../../composables/open-mail.ts'
import type { Actions } from './actions.ts'
import { pairOf, type Selection } from './selection.ts'
import { type InboxCommand, inboxKeys } from './inbox-keys.ts'
import { type MailTab, mailTabs } from './tabs.ts'

interface MailKeys {
  show(at: number): void
  addTag(): void
  goToLinks(): void
  goToFiles(): void
  copyCode(): void
  /** Shows the HTML mail at the next width. */
  nextWidth(): void
}

export interface InboxCommandTargets {
  inbox: InboxList
  open: OpenMail
  selection: Selection
  actions: Actions
  /** The mail that the URL names, loaded or not. */
  openId: () => string | null
  /** The mail that keyboard commands apply to. */
  picked: () => string | null
  move(by: 1 | -1): void
  canMove(by: 1 | -1): boolean
  openCurrent(): void
  close(): void
  search(): void
  /** Hides the list beside the mail, or shows it again. */
  fill(): void
  release(): void
  /** Shows two mails side by side. */
  compare(): void
  /** What the keys reach in the open mail, while it is shown. */
  mailView: () => MailKeys | null | undefined
  /** Filters the list by the next tag. */
  nextTag(): void
  pickFiles(): void
  changeDensity(): void
  /** Gives the list the whole width while no mail is open, or not. */
  changeWidth(): void
  /** Combines the mails of a conversation, or not. */
  changeThreads(): void
  notify(): void
}

/** Adds the commands of the inbox to the palette and the keyboard shortcuts, while the inbox is shown. */
export function useInboxCommands(targets: InboxCommandTargets): void {
  const { inbox, open, selection, actions } = targets
  const isOpen = (): boolean => open.mail.value !== null
  // For commands that need only the id, so that they work while a long mail is loading.
  const isAddressed = (): boolean => targets.openId() !== null
  const hasMail = (): boolean => inbox.emails.value.length > 0
  const hasSelection = (): boolean => selection.count.value > 0
  const all: Record<InboxCommand, Pick<Command, 'run' | 'isOn'>> = {
    next: { isOn: () => targets.canMove(1), run: () => targets.move(1) },
    previous: { isOn: () => targets.canMove(-1), run: () => targets.move(-1) },
    open: { isOn: () => targets.picked() !== null, run: targets.openCurrent },
    delete: { isOn: () => isOpen() || hasSelection(), run: () => void deleteMail() },
    unread: {
      isOn: isOpen,
      run() {
        const { value } = open.mail
        if (value) void actions.setUnread(value.id, !value.unread)
      },
    },
    undo: { isOn: () => actions.undoable.value !== null, run: () => void actions.undo() },
    tag: { isOn: isOpen, run: () => targets.mailView()?.addTag() },
    links: {
      isOn: () => (open.mail.value?.links.length ?? 0) > 0,
      run: () => targets.mailView()?.goToLinks(),
    },
    files: {
      isOn: () => (open.mail.value?.attachments.length ?? 0) > 0,
      run: () => targets.mailView()?.goToFiles(),
    },
    code: { isOn: () => (open.mail.value?.codes.length ?? 0) > 0, run: () => targets.mailView()?.copyCode() },
    width: { isOn: () => Boolean(open.mail.value?.html.trim()), run: () => targets.mailView()?.nextWidth() },
    fill: { isOn: isAddressed, run: targets.fill },
    compare: { isOn: () => isAddressed() || pairOf(selection) !== null, run: targets.compare },
    release: { isOn: isOpen, run: targets.release },
    'tab-HTML': side('HTML'),
    'tab-Text': side('Text'),
    'tab-Source': side('Source'),
    'tab-Headers': side('Headers'),
    'tab-Attachments': side('Attachments'),
    'tab-Events': side('Events'),
    'tab-Checks': side('Checks'),
    close: { run: targets.close },
    pick: {
      isOn: hasMail,
      run() {
        const id = targets.picked() ?? inbox.emails.value[0]?.id
        if (id !== undefined) selection.toggle(id)
      },
    },
    'pick-all': { isOn: hasMail, run: selection.all },
    'picked-read': { isOn: hasSelection, run: () => void actions.setPickedUnread(false) },
    'picked-export': { isOn: hasSelection, run: actions.exportPicked },
    search: { run: targets.search },
    'find-unread': { run: () => void (inbox.query.value = 'is:unread') },
    'find-tag': { isOn: hasMail, run: targets.nextTag },
    'read-all': { isOn: hasMail, run: () => void actions.markAllRead() },
    export: { isOn: hasMail, run: actions.exportAll },
    import: { run: targets.pickFiles },
    density: { run: targets.changeDensity },
    alone: { run: targets.changeWidth },
    threads: { run: targets.changeThreads },
    notify: { run: targets.notify },
    'delete-all': { isOn: hasMail, run: () => void actions.removeAll() },
  }
  useCommands().add(inboxKeys.map((named) => ({ ...named, ...all[named.id] })))

  function side(tab: MailTab): Pick<Command, 'run' | 'isOn'> {
    return { isOn: isOpen, run: () => targets.mailView()?.show(mailTabs.indexOf(tab)) }
  }

  /** Deletes the selected mails, or without a selection the open mail. */
  function deleteMail(): Promise<void> {
    return hasSelection() ? actions.removePicked() : actions.removeOpen()
  }
}
