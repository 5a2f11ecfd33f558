import { computed, effectScope, ref, shallowRef } from 'vue'
import { expect, onTestFinished, test } from 'vitest'
import type { InboxList } from '../../ui/composables/inbox.ts'
import type { ListRow } from '../../ui/views/inbox/conversations.ts'
import type { Route } from '../../ui/composables/route.ts'
import { useWalk, type Walk, type WalkParts } from '../../ui/views/inbox/walk.ts'

/** A phone with an open mail: the list, of which these rows are loaded, shows nothing and loads nothing by itself. */
function phone(opened: string, all: readonly ListRow[], [from, to]: [from: number, to: number]) {
  const window = shallowRef({ first: from, emails: all.slice(from, to) })
  const route = ref<Route>({ view: 'mail', id: opened })
  const openId = computed(() => (route.value.view === 'mail' ? route.value.id : null))
  const currentId = ref<string | null>(opened)
  const holds = (row: ListRow, id: string | null): boolean =>
    row.id === id || (id !== null && (row.conversation?.ids.includes(id) ?? false))
  const inbox = {
    rows: window,
    emails: computed(() => window.value.emails),
    count: ref(all.length),
    indexOf(id: string | null) {
      const at = window.value.emails.findIndex((row) => holds(row, id))
      return at < 0 ? -1 : window.value.first + at
    },
    locate: async (id: string) => all.findIndex((row) => holds(row, id)),
    async show(first: number, last: number) {
      await Promise.resolve()
      const start = Math.max(0, first)
      window.value = { first: start, emails: all.slice(start, last + 1) }
    },
  }
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const walk = scope.run(() =>
    useWalk({
      inbox: inbox as unknown as InboxList,
      selection: { count: computed(() => 0) } as WalkParts['selection'],
      broadcasts: {} as WalkParts['broadcasts'],
      router: { route: computed(() => route.value), openId, go: (next) => (route.value = next) },
      currentId,
      rows: { top: () => window.value.emails[0]?.id, focus: () => {} },
    }),
  ) as Walk
  const go = async (by: 1 | -1): Promise<string | null> => {
    walk.move(by)
    await new Promise(setImmediate)
    return openId.value
  }
  const ends = (): [boolean, boolean] => [walk.canMove(-1), walk.canMove(1)]
  return { go, ends, press: walk.move, route, fill: walk.fill, close: walk.close }
}
const mails = Array.from({ length: 500 }, (_, at) => ({ id: `m${at}` }) as ListRow)

test('the next mail is opened although it is not loaded', async () => {
  const { go } = phone('m49', mails, [0, 50])
  expect([await go(1), await go(1), await go(-1)]).toEqual(['m50', 'm51', 'm50'])
})

test('keys that are pressed while rows are loaded move on one after the other', async () => {
  const { press, go } = phone('m49', mails, [0, 50])
  press(1)
  press(1)
  press(-1)
  expect(await go(1)).toBe('m51')
  for (let held = 0; held < 100; held++) press(1)
  expect(await go(1)).toBe('m71')
})

test('from a mail that a link opened, the next and the previous one are those beside it', async () => {
  const next = phone('m199', mails, [0, 50])
  expect(await next.go(1)).toBe('m200')
  const previous = phone('m199', mails, [0, 50])
  expect(await previous.go(-1)).toBe('m198')
})

test('a mail alone, and beside the list again, keeps its tab and the check that is linked', () => {
  const { route, fill, close } = phone('m1', mails, [0, 50])
  const checks = { view: 'mail', id: 'm1', tab: 'Checks', check: 'links' } as const
  route.value = checks
  fill()
  expect(route.value).toEqual({ ...checks, full: true })
  close()
  expect(route.value).toEqual({ ...checks, full: false })
  route.value = { view: 'mail', id: 'm1', compare: 'm2' }
  fill()
  expect(route.value).toEqual({ view: 'mail', id: 'm1', full: true })
})

test('there is nothing before the first mail and after the last one', async () => {
  const first = phone('m0', mails, [0, 50])
  expect(first.ends()).toEqual([false, true])
  expect(await first.go(-1)).toBe('m0')
  const last = phone('m499', mails, [0, 50])
  expect(await last.go(1)).toBe('m499')
  expect(last.ends()).toEqual([true, false])
})

test('a mail that the list does not hold is followed by the first one in sight', async () => {
  const { go } = phone('other', mails, [0, 50])
  expect(await go(1)).toBe('m0')
})

test('from a mail inside a conversation, the next rows are those beside its row', async () => {
  const rows = mails.slice(0, 20)
  rows[4] = { id: 'm4', conversation: { subject: 'x', ids: ['m4', 'inner'], unread: 0 } } as ListRow
  const next = phone('inner', rows, [0, 20])
  expect(await next.go(1)).toBe('m5')
  const previous = phone('inner', rows, [0, 20])
  expect(await previous.go(-1)).toBe('m3')
})
