import { expect, onTestFinished, test, vi } from 'vitest'
import type { Mail } from '../../src/inbox/types.ts'
import { createMailsAhead, type MailsAhead } from '../../ui/composables/mails-ahead.ts'

const signal = new AbortController().signal

/** Mails of a server that numbers its answers, and what was asked of it. */
function served(): {
  ahead: MailsAhead
  asked: string[]
  signals: AbortSignal[]
  fail: { now: boolean }
  /** Whether the page is told of changes. */
  informed: { now: boolean }
} {
  const asked: string[] = []
  const signals: AbortSignal[] = []
  const fail = { now: false }
  const informed = { now: true }
  const api = {
    async get(id: string, given?: AbortSignal) {
      asked.push(id)
      if (given) signals.push(given)
      if (fail.now) throw new Error('The server failed.')
      return { id, subject: `${id} ${asked.length}` } as Mail
    },
  }
  return { ahead: createMailsAhead(api, () => informed.now), asked, signals, fail, informed }
}

test('a mail that was fetched ahead is not fetched again, and is given once', async () => {
  const { ahead, asked } = served()
  ahead.keep(['a'])
  ahead.keep(['a', 'b'])
  expect(asked).toEqual(['a', 'b'])
  expect((await ahead.get('a', signal)).subject).toBe('a 1')
  expect((await ahead.get('a', signal)).subject).toBe('a 3')
})

test.each(['outdate', 'forget'] as const)(
  'a mail that changed is fetched again, also while it is being fetched ahead: %s',
  async (change) => {
    const { ahead } = served()
    ahead.keep(['a', 'b', 'c'])
    ahead[change](['a'])
    expect((await ahead.get('a', signal)).subject).toBe('a 4')
    const waiting = ahead.get('b', signal)
    ahead[change](['b'])
    expect((await waiting).subject).toBe('b 5')
    ahead[change]()
    expect((await ahead.get('c', signal)).subject).toBe('c 6')
  },
)

test('a mail that could not be fetched ahead is fetched when it is opened, and fails there', async () => {
  const { ahead, fail } = served()
  fail.now = true
  ahead.keep(['a', 'b'])
  await expect(ahead.get('a', signal)).rejects.toThrow('The server failed.')
  fail.now = false
  expect((await ahead.get('b', signal)).subject).toBe('b 4')
})

test('mails that are not kept are cancelled, and a cancelled get gives none', async () => {
  const { ahead, asked, signals } = served()
  ahead.keep(['a', 'b'])
  ahead.keep(['b'])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  const controller = new AbortController()
  const waiting = ahead.get('b', controller.signal)
  controller.abort()
  await expect(waiting).rejects.toThrow('aborted')
  expect(asked).toEqual(['a', 'b'])
})

test('a mail that is being opened is not cancelled for another one', async () => {
  const { ahead, asked, signals } = served()
  ahead.keep(['a'])
  const waiting = ahead.get('a', signal)
  ahead.keep(['b'])
  expect((await waiting).subject).toBe('a 1')
  expect([asked, signals.some(({ aborted }) => aborted)]).toEqual([['a', 'b'], false])
})

test('a mail is fetched again if it was fetched long ago, or if the page is not told of changes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ahead, informed } = served()
  ahead.keep(['a', 'b'])
  vi.advanceTimersByTime(29_000)
  expect((await ahead.get('a', signal)).subject).toBe('a 1')
  vi.advanceTimersByTime(2000)
  expect((await ahead.get('b', signal)).subject).toBe('b 3')
  ahead.keep(['c'])
  informed.now = false
  expect((await ahead.get('c', signal)).subject).toBe('c 5')
})

test('publishes what was fetched; a mail that changed stays until it was fetched again', async () => {
  const { ahead, asked, fail } = served()
  const fetched = (): string[] => ahead.fetched.value.map(({ subject }) => subject)
  ahead.keep(['a', 'b'])
  expect(fetched()).toEqual([])
  await vi.waitFor(() => expect(fetched()).toEqual(['a 1', 'b 2']))
  const before = ahead.fetched.value
  ahead.outdate(['b'])
  ahead.keep(['a', 'b'])
  expect(ahead.fetched.value).toBe(before)
  await vi.waitFor(() => expect(fetched()).toEqual(['a 1', 'b 3']))
  ahead.keep(['a'])
  expect(fetched()).toEqual(['a 1'])
  ahead.forget(['a'])
  expect(fetched()).toEqual([])
  fail.now = true
  ahead.keep(['c'])
  await vi.waitFor(() => expect(asked).toHaveLength(4))
  await expect(ahead.get('c', signal)).rejects.toThrow('The server failed.')
  expect(fetched()).toEqual([])
})

test.each(['given', 'too old'])('a mail that is %s stays until others are kept', async (state) => {
  const { ahead, asked } = served()
  const now = vi.spyOn(performance, 'now')
  onTestFinished(() => now.mockRestore())
  now.mockReturnValue(0)
  const fetched = (): string[] => ahead.fetched.value.map(({ id }) => id)
  ahead.keep(['a', 'b'])
  await vi.waitFor(() => expect(fetched()).toEqual(['a', 'b']))
  if (state === 'too old') now.mockReturnValue(31_000)
  const opening = ahead.get('a', signal)
  ahead.keep(['b', 'c'])
  expect(fetched()).toEqual(['a', 'b'])
  await opening
  await vi.waitFor(() => expect(fetched()).toEqual(['a', 'b', 'c']))
  ahead.keep(['b', 'c'])
  expect(fetched()).toEqual(['b', 'c'])
  expect(asked).toEqual(state === 'given' ? ['a', 'b', 'c'] : ['a', 'b', 'a', 'c'])
})
