import { computed, effectScope, ref, shallowRef } from 'vue'
import { expect, onTestFinished, test } from 'vitest'
import type { InboxList } from '../../ui/composables/inbox.ts'
import type { ListWindow } from '../../ui/composables/list-window.ts'
import { type Selection, useSelection } from '../../ui/views/inbox/selection.ts'

const idAt = (at: number): string => `em_${9999 - at}`
const rowsAt = (first: number, count: number): ListWindow =>
  ({ first, emails: Array.from({ length: count }, (_, at) => ({ id: idAt(first + at) })) }) as ListWindow

/** A selection in a list of which 100 rows are loaded, from the first. */
function open(): { selection: Selection; scroll(first: number): void } {
  const rows = shallowRef(rowsAt(0, 100))
  const emails = computed(() => rows.value.emails)
  const inbox = { rows, emails, dropped: ref(new Set()), shown: ref(''), mails: ref(5000) }
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const selection = scope.run(() => useSelection(inbox as unknown as InboxList)) as Selection
  return { selection, scroll: (first) => (rows.value = rowsAt(first, 100)) }
}

test.each([
  ['downwards', 5, 9],
  ['upwards', 9, 5],
])('a range within the loaded rows has all between two: %s', (_, from, to) => {
  const { selection } = open()
  selection.toggle(idAt(from))
  selection.toggle(idAt(to), true)
  expect([...selection.ids.value].toSorted()).toEqual([9, 8, 7, 6, 5].map(idAt))
  expect(selection.isCut.value).toBe(false)
})

test.each([
  ['downwards', [0, 5], [1000, 1019]],
  ['upwards', [1000, 1005], [0, 80]],
] as const)('after a long scroll, a range has the loaded rows of it, and says so: %s', (_, begin, end) => {
  const { selection, scroll } = open()
  scroll(begin[0])
  selection.toggle(idAt(begin[1]))
  scroll(end[0])
  selection.toggle(idAt(end[1]), true)
  // The one that was picked first, and 20 of the loaded ones.
  expect(selection.count.value).toBe(21)
  expect(selection.isCut.value).toBe(true)
  selection.all()
  expect(selection.isCut.value).toBe(false)
})

test('a range whose first mail is gone from among the loaded rows is whole', () => {
  const { selection } = open()
  selection.toggle(`${idAt(5)}x`)
  selection.toggle(idAt(9), true)
  expect(selection.isCut.value).toBe(false)
  expect(selection.has(idAt(6))).toBe(true)
})
