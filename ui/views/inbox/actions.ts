import { ref, type Ref } from 'vue'
import type { TagColor } from '../../../src/inbox/types.ts'
import { linkTo } from '../../composables/accounts.ts'
import { type Api, mailPath, wordsOf } from '../../composables/api.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { LiveFeed } from '../../composables/live.ts'
import type { OpenMail } from '../../composables/open-mail.ts'
import type { Route } from '../../composables/route.ts'
import { countWords } from '../../composables/words.ts'
import { createBulk, exportPath } from './bulk.ts'
import type { Selection } from './selection.ts'
import { mostUndone, type Undo, useUndo } from './undo.ts'

/** The actions of the user on mails. A failed action sets `problem`. */
export interface Actions {
  problem: Ref<string>
  /** Whether an action is running. */
  busy: Ref<boolean>
  /** Runs an action that may fail. */
  attempt(work: () => Promise<void>): Promise<void>
  setUnread(id: string, unread: boolean): Promise<void>
  setTags(id: string, tags: string[]): Promise<void>
  /** Deletes the open mail; that can be undone. */
  removeOpen(): Promise<void>
  /** The last removal, while it can be undone. */
  undoable: Undo['last']
  /** Takes the last removal back, and opens its mail again. */
  undo(): Promise<void>
  /** Removes a mail that was deleted elsewhere from the list, and shows the next one if it was open. */
  afterRemoval(id: string): void
  /** Deletes all mail that the list's search finds, after a confirmation. */
  removeAll(): Promise<void>
  markAllRead(): Promise<void>
  exportAll(): void
  setPickedUnread(unread: boolean): Promise<void>
  tagPicked(tag: string): Promise<void>
  /** Renames a tag in all mails that have it. @returns False if it failed or was cancelled before its end. */
  renameTag(from: string, to: string): Promise<boolean>
  /** Sets the colour of a tag; null for the one derived from its name. @returns Whether that worked. */
  colorTag(tag: string, color: TagColor | null): Promise<boolean>
  exportPicked(): void
  /** Deletes the selected mail; after a confirmation, if it is too much to undo. */
  removePicked(): Promise<void>
}

export interface ActionParts {
  api: Api
  live: LiveFeed
  inbox: InboxList
  open: OpenMail
  selection: Selection
  go: (to: Route, replace?: boolean) => void
  ask: (title: string, text: string, action: string) => Promise<boolean>
  /** Asks before all mail is deleted. Resolves with what deletes everything else that was chosen; null if nothing is to be deleted. */
  askAll: (...question: Parameters<ActionParts['ask']>) => Promise<(() => Promise<void>) | null>
  focusRow: (id: string) => void
}

export function useActions({
  api,
  live,
  inbox,
  open,
  selection,
  go,
  ask,
  askAll,
  focusRow,
}: ActionParts): Actions {
  const problem = ref('')
  const busy = ref(false)
  const removal = useUndo()
  const bulk = createBulk(api, inbox, selection)

  async function attempt(work: () => Promise<void>): Promise<void> {
    problem.value = ''
    busy.value = true
    try {
      await work()
    } catch (error) {
      problem.value = wordsOf(error)
    } finally {
      busy.value = false
    }
  }

  const show = (id: string, values: { unread: boolean } | { tags: string[] }): void => {
    inbox.patch(id, values)
    open.patch(id, values)
  }

  /** Removes deleted mails from the list. If the open mail is one of them, opens the next mail or shows the list. */
  function leave(ids: ReadonlySet<string>): void {
    inbox.drop(ids)
    const openId = open.mail.value?.id
    if (openId === undefined || !ids.has(openId)) return
    // Found by the order of ids, because the live connection may already have removed the open mail from the list.
    const { value: mails } = inbox.emails
    const next = mails.find(({ id }) => id < openId) ?? mails.at(-1)
    // On a wide screen the next mail is opened; on a small screen the list is shown.
    go(next && wide.matches ? { view: 'mail', id: next.id } : { view: 'list' }, true)
    if (next) focusRow(next.id)
  }

  async function removeOpen(): Promise<void> {
    const id = open.mail.value?.id
    if (id === undefined) return
    await attempt(async () => {
      await removal.remove([id])
      leave(new Set([id]))
    })
  }

  async function removeAll(): Promise<void> {
    // What cannot be undone is asked for with its exact number.
    await inbox.counted()
    // Uses the search that the list shows, not the text that is being typed.
    const query = inbox.shown.value
    const { value: count } = inbox.mails
    const what = query
      ? countWords(count, 'match', 'matches', inbox.counting.value)
      : `all ${countWords(count, 'mail')}`
    const question = [`Delete ${what}?`, noUndo, 'Delete'] as const
    const isWanted = query ? await ask(...question) : await askAll(...question)
    if (!isWanted) return
    await attempt(async () => {
      await api.removeAll(query)
      selection.clear()
      go({ view: 'list' }, true)
      await inbox.load()
      // Last, so that the list shows that the mail is gone even if something else could not be deleted.
      if (isWanted !== true) await isWanted()
    })
  }

  async function removePicked(): Promise<void> {
    if (selection.everything.value) return removeAll()
    const ids = new Set(selection.ids.value)
    const isUndoable = ids.size <= mostUndone
    const question = `Delete ${countWords(ids.size, 'mail')}?`
    if (!isUndoable && !(await ask(question, noUndo, 'Delete'))) return
    await attempt(async () => {
      await (isUndoable ? removal : bulk).remove([...ids])
      selection.clear()
      leave(ids)
    })
  }

  const undo = (): Promise<void> =>
    attempt(async () => {
      const undone = await removal.undo()
      await inbox.refresh()
      const [id, ...others] = undone?.ids ?? []
      if (id !== undefined && others.length === 0 && wide.matches) go({ view: 'mail', id })
    })

  const changePicked = (work: () => Promise<void>): Promise<void> =>
    attempt(async () => {
      await work()
      selection.clear()
      await Promise.all([inbox.reload(), open.reload()])
    })

  return {
    problem,
    busy,
    attempt,
    setUnread: (id, unread) =>
      attempt(async () => {
        await live.mark(id, () => api.setUnread(id, unread))
        show(id, { unread })
      }),
    setTags: (id, tags) =>
      attempt(async () => {
        await api.write('PATCH', mailPath(id), { tags })
        show(id, { tags })
      }),
    removeOpen,
    undoable: removal.last,
    undo,
    afterRemoval: (id) => leave(new Set([id])),
    removeAll,
    markAllRead: () => changePicked(() => bulk.markMatchesRead()),
    exportAll: () => download(exportPath(inbox.shown.value)),
    setPickedUnread: (unread) => changePicked(() => bulk.setUnread(unread)),
    tagPicked: (tag) => changePicked(() => bulk.addTag(tag)),
    async renameTag(from, to) {
      let isWhole = false
      await changePicked(async () => void (isWhole = !(await bulk.renameTag(from, to))))
      return isWhole
    },
    async colorTag(tag, color) {
      await attempt(() => api.write('PATCH', 'dev/inbox/tags', { tag, color }))
      return problem.value === ''
    },
    exportPicked: () => bulk.exportPaths().forEach(download),
    removePicked,
  }
}

const noUndo = 'This cannot be undone.'
const wide = matchMedia('(min-width: 48rem)')

function download(path: string): void {
  const link = document.createElement('a')
  link.href = linkTo(path)
  link.download = ''
  link.click()
}
