import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import type { ListedMail } from '../../../src/inbox/types.ts'
import type { Api } from '../../composables/api.ts'
import { painted } from '../../composables/idle.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { LiveFeed } from '../../composables/live.ts'
import { createMailsAhead, type MailsAhead } from '../../composables/mails-ahead.ts'
import { rowId } from '../../composables/route.ts'
import type { ListRow } from './conversations.ts'

export interface NearMailsParts {
  api: Api
  live: LiveFeed
  inbox: InboxList
  openId: Readonly<Ref<string | null>>
}

/** Fetches the mails ahead that a person will probably open next: the one under the pointer, and the next one in the list. */
export function useNearMails({ api, live, inbox, openId }: NearMailsParts): {
  ahead: MailsAhead
  /** The mail that is being opened, or whose row the pointer rests on, until it is loaded: its HTML can be loaded at the same time. */
  coming: Readonly<Ref<ListedMail | null>>
  onOpened(id: string): void
  /** Call it when the pointer goes over the list, is pressed there, or leaves it. */
  onPointer(event: PointerEvent): void
} {
  const ahead = createMailsAhead(api, () => live.connection.value === 'live')
  const coming = shallowRef<ListedMail | null>(null)
  const expectMail = (id: string | null | undefined): void => {
    coming.value = inbox.emails.value.find((mail) => mail.id === id) ?? null
  }
  watch(openId, expectMail, { flush: 'sync' })
  /** A row of several mails opens a list. A mail that is being opened stays the expected one. */
  function expectPointed(): void {
    if (coming.value && coming.value.id === openId.value) return
    const row: ListRow | undefined = inbox.emails.value.find(({ id }) => id === pointed)
    if (row && !row.broadcast && !row.conversation && row.id !== openId.value) expectMail(row.id)
  }
  /** The pointer may have left the row, or scroll: then no mail is opened. */
  function onRelease(): void {
    const { value: pressed } = coming
    clearTimeout(releasing)
    releasing = setTimeout(() => {
      if (coming.value === pressed && pressed?.id !== openId.value) coming.value = null
    }, clickMs)
  }
  const releases = ['pointerup', 'pointercancel'] as const
  for (const type of releases) addEventListener(type, onRelease)
  let opened = ''
  let direction: 1 | -1 = 1
  let pointed: string | undefined
  let place = ''
  let resting: ReturnType<typeof setTimeout> | undefined
  let releasing: ReturnType<typeof setTimeout> | undefined
  let isDue = false
  let isOver = false
  onScopeDispose(() => {
    isOver = true
    clearTimeout(resting)
    clearTimeout(releasing)
    for (const type of releases) removeEventListener(type, onRelease)
    ahead.forget()
  })
  // The list is loaded again after each of these, and then the mails are fetched again.
  live.listen({
    onChanges({ updated, deleted }) {
      ahead.outdate(updated)
      ahead.forget(deleted)
    },
    onMarked: (ids) => ahead.outdate(ids),
    onManyChanged: () => ahead.outdate(),
    // Changes may have been missed.
    onConnected: () => ahead.outdate(),
  })
  watch(inbox.emails, () => void keepSoon())

  /** Calls `keep` after a paint, so that the content of the open mail comes first. */
  async function keepSoon(): Promise<void> {
    if (isDue) return
    isDue = true
    await painted()
    isDue = false
    if (!isOver) keep()
  }

  function keep(): void {
    const { value: mails } = inbox.emails
    const at = mails.findIndex(({ id }) => id === openId.value)
    const next = at < 0 ? undefined : mails[at + direction]?.id
    const light = mails.filter(
      ({ id, size_bytes }) =>
        (id === next || id === pointed) && id !== openId.value && size_bytes <= mostBytes,
    )
    ahead.keep(light.map(({ id }) => id))
  }

  return {
    ahead,
    coming,
    onOpened(id) {
      coming.value = null
      // The list begins with the newest mail, which has the highest id.
      if (id !== opened) direction = opened !== '' && id > opened ? -1 : 1
      opened = id
      void keepSoon()
    },
    onPointer(event) {
      const { type, pointerType, target, clientX, clientY } = event
      const before = place
      place = `${clientX} ${clientY}`
      // Rows that move under a still pointer are not pointed at.
      if (type === 'pointerover' && (place === before || pointerType !== 'mouse')) return
      clearTimeout(resting)
      if (type === 'pointerleave') {
        pointed = undefined
        if (coming.value?.id !== openId.value) coming.value = null
      }
      const row = target instanceof Element ? target.closest(`a[id^="${rowId('')}"]`) : null
      if (!row || type === 'pointerleave') return
      const point = (): void => {
        pointed = row.id.slice(rowId('').length)
        keep()
        expectPointed()
      }
      if (type === 'pointerdown') point()
      else resting = setTimeout(point, restMs)
    },
  }
}

/** A pointer that only crosses a row fetches nothing. */
const restMs = 40
/** A click opens its mail within this time. */
const clickMs = 300
/** A larger mail is not fetched ahead. */
const mostBytes = 1024 * 1024
