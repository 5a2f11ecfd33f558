import { onScopeDispose, watch } from 'vue'
import type { Api } from '../../composables/api.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { LiveFeed } from '../../composables/live.ts'
import { idle } from '../../composables/idle.ts'
import { createMailsAhead, type MailsAhead } from '../../composables/mails-ahead.ts'
import { rowId } from '../../composables/route.ts'

/** Fetches the mails ahead that a person will probably open next: the one under the pointer, and the next one in the list. */
export function useNearMails(
  api: Api,
  live: LiveFeed,
  inbox: InboxList,
): {
  ahead: MailsAhead
  onOpened(id: string): void
  onPointer(event: PointerEvent): void
} {
  const ahead = createMailsAhead(api)
  let opened = ''
  let direction: 1 | -1 = 1
  let pointed: string | undefined
  let resting: ReturnType<typeof setTimeout> | undefined
  let isDue = false
  onScopeDispose(() => clearTimeout(resting))
  const forget = (ids?: Iterable<string>): void => {
    ahead.forget(ids)
    void keepSoon()
  }
  live.listen({
    onChanges: ({ updated, deleted }) => forget([...updated, ...deleted]),
    onManyChanged: () => forget(),
    // Changes may have been missed.
    onConnected: () => forget(),
  })
  watch(inbox.emails, () => void keepSoon())

  /** The content of the open mail comes first. */
  async function keepSoon(): Promise<void> {
    if (isDue) return
    isDue = true
    await idle()
    isDue = false
    keep()
  }

  function keep(): void {
    const { value: mails } = inbox.emails
    const at = mails.findIndex(({ id }) => id === opened)
    const next = at < 0 ? undefined : mails[at + direction]?.id
    const light = mails.filter(
      ({ id, size_bytes }) => (id === next || id === pointed) && id !== opened && size_bytes <= mostBytes,
    )
    ahead.keep(light.map(({ id }) => id))
  }

  return {
    ahead,
    onOpened(id) {
      // The list begins with the newest mail, which has the highest id.
      direction = opened !== '' && id > opened ? -1 : 1
      opened = id
      void keepSoon()
    },
    onPointer({ type, pointerType, target }) {
      clearTimeout(resting)
      const row = target instanceof Element ? target.closest(`a[id^="${rowId('')}"]`) : null
      if (!row || (type === 'pointerover' && pointerType !== 'mouse')) return
      const point = (): void => {
        pointed = row.id.slice(rowId('').length)
        keep()
      }
      if (type === 'pointerdown') point()
      else resting = setTimeout(point, restMs)
    },
  }
}

/** A pointer that only crosses a row fetches nothing. */
const restMs = 40
/** A larger mail is not fetched ahead. */
const mostBytes = 1024 * 1024
