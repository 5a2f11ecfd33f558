import { nextTick, ref, watch } from 'vue'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ListedMail } from '../../src/inbox/types.ts'
import type { Api, MailPage } from '../../ui/composables/api.ts'
import { type InboxList, useInbox } from '../../ui/composables/inbox.ts'
import { arrivedAbove, movedBy } from '../../ui/composables/list-window.ts'
import { useConversations } from '../../ui/views/inbox/conversations.ts'
import { randomOf } from '../support/random.ts'

/** A list on a screen of 15 rows, which asks for rows as the page does whenever they change. */
class Screen {
  readonly inbox: InboxList
  /** How many pages were asked for. */
  asked = 0
  /** The row at the top. */
  top = 0
  /** How many mails arrived above it. */
  arrived = 0
  readonly #isOn = ref(false)
  readonly #all: { id: string; from: string; to: string[]; subject: string }[]
  #open = 0

  constructor(subjects: readonly string[]) {
    vi.stubGlobal('location', { search: '', pathname: '/', hash: '' })
    vi.stubGlobal('history', { state: null, replaceState() {} })
    const from = 'noreply@acme.test'
    const all = (this.#all = subjects.map((subject, at) => ({
      id: idAt(at),
      from,
      to: ['ada@acme.test'],
      subject,
    })))
    const api: Pick<Api, 'list'> = {
      list: async ({ offset = 0, limit = 50 }) => {
        this.asked++
        this.#open++
        await new Promise(setImmediate)
        this.#open--
        const emails = all.slice(offset, offset + limit) as unknown as ListedMail[]
        return { emails, count: all.length, cursor: null } satisfies MailPage
      },
    }
    this.inbox = useConversations(
      useInbox(api as Api, () => {}),
      this.#isOn,
      () => false,
    )
    const { rows, phase } = this.inbox
    const stops = [
      watch(rows, async (after, before) => {
        if (this.top === 0) return
        this.arrived += arrivedAbove(before, after, this.top) ?? 0
        const moved = movedBy(before, after, this.top) ?? 0
        await nextTick()
        // A browser does not scroll beyond the end.
        const top = Math.min(this.top + moved, Math.max(0, this.inbox.count.value - seen))
        if (top !== this.top) this.scroll(top)
      }),
      watch([rows, phase], () => this.#show()),
    ]
    onTestFinished(() => {
      for (const stop of stops) stop()
      vi.unstubAllGlobals()
    })
  }

  /** Mail arrives: the newest one last. */
  async receive(subjects: readonly string[]): Promise<void> {
    for (const subject of subjects) {
      const id = `em_1${String(this.#all.length).padStart(6, '0')}`
      this.#all.unshift({ id, from: 'noreply@acme.test', to: ['ada@acme.test'], subject })
    }
    await this.inbox.refresh()
    await this.settle()
  }

  async open(): Promise<void> {
    await this.inbox.load()
    this.#isOn.value = true
    await this.settle()
  }

  scroll(top: number): void {
    this.top = Math.max(0, Math.min(top, this.inbox.count.value - seen))
    this.#show()
  }

  /** Waits until nothing is asked for any more. */
  async settle(): Promise<void> {
    const before = this.asked
    for (let quiet = 0; quiet < 4; quiet = this.#open === 0 ? quiet + 1 : 0) {
      await new Promise(setImmediate)
      if (this.asked - before > mostPages) throw new Error(`More than ${mostPages} pages were asked for.`)
    }
  }

  /** The rows in sight that are not loaded. */
  missing(): number[] {
    const { first, emails } = this.inbox.rows.value
    const last = Math.min(this.top + seen, this.inbox.count.value)
    const inSight = Array.from({ length: Math.max(0, last - this.top) }, (_, at) => this.top + at)
    return inSight.filter((at) => emails[at - first] === undefined)
  }

  #show(): void {
    void this.inbox.show(this.top - around, this.top + seen + around)
  }
}
const idAt = (at: number): string => `em_${String(99_999 - at).padStart(6, '0')}`
const seen = 15
const around = 20
const mostPages = 120

const fallback = 'Welcome'
const mostly = (length: number, other: (at: number) => string | undefined): string[] =>
  Array.from({ length }, (_, at) => other(at) ?? fallback)
const boxes = {
  'one conversation': mostly(3000, (at) => (at % 500 === 7 ? 'Re: Welcome' : undefined)),
  'a conversation behind other mail': mostly(2500, (at) =>
    at < 300 ? `Mail ${at}` : at === 301 ? 'Re: Welcome' : undefined,
  ),
  'many short ones': mostly(2000, (at) => `${at % 5 === 0 ? 'Re: ' : ''}Order ${Math.floor(at / 5)}`),
  'some among others': mostly(2000, (at) => (at % 3 === 0 ? `Re: Order ${at % 7}` : `Mail ${at}`)),
} satisfies Record<string, string[]>

test('600 mails and more that are a few rows are loaded until the screen is full, and then no more', async () => {
  const screen = new Screen(boxes['one conversation'])
  await screen.open()
  expect(screen.missing()).toEqual([])
  expect(screen.asked).toBeLessThan(40)
})

test.each(Object.entries(boxes))(
  'wherever a person scrolls, the rows in sight are loaded: %s',
  async (_, subjects) => {
    const screen = new Screen(subjects)
    await screen.open()
    const next = randomOf(22)
    for (let step = 0; step < 60; step++) {
      const { value: count } = screen.inbox.count
      const to = next() < 0.2 ? Math.floor(next() * count) : screen.top + Math.floor(next() * 60) - 20
      screen.scroll(to)
      await screen.settle()
      expect(screen.missing(), `step ${step}, to ${to} of ${count}`).toEqual([])
    }
    expect(screen.arrived).toBe(0)
    screen.scroll(Math.floor(screen.inbox.count.value / 2))
    await screen.settle()
    // An answer takes its conversation to the top, and an unrelated mail has a row of its own.
    await screen.receive(['Re: Order 1', 'Unrelated', 'Re: Welcome'])
    expect(screen.arrived).toBe(screen.top === 0 ? 0 : 3)
  },
)
