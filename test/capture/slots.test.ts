import { describe, expect, it } from 'vitest'
import { idleMs, Slots, type SlotClient } from '../../src/capture/slots.ts'
import { spellingsOf } from '../net/_spellings.ts'

interface Client extends SlotClient {
  name: string
}

const gone: string[] = []
const client = (name: string, over: Partial<SlotClient> = {}): Client => ({
  name,
  remoteAddress: '127.0.0.1',
  isAwaited: true,
  isBusy: false,
  lastProgressAt: 0,
  giveWay: () => void gone.push(name),
  ...over,
})

describe('connection slots', () => {
  it.each<[string, Partial<SlotClient>[], number]>([
    [
      'the one that was idle the longest',
      [{ lastProgressAt: 5 }, { lastProgressAt: 3 }, { lastProgressAt: 4 }],
      1,
    ],
    [
      'one outside of a transaction first',
      [{ isBusy: true, lastProgressAt: 1 }, { lastProgressAt: 9 }, { isBusy: true }],
      1,
    ],
    [
      'not one that waits for the server',
      [{ isAwaited: false }, { lastProgressAt: 7 }, { isAwaited: false }],
      1,
    ],
    [
      'one in a transaction, where there is no other',
      [{ isBusy: true, lastProgressAt: 2 }, { isAwaited: false }, { isBusy: true, lastProgressAt: 1 }],
      2,
    ],
  ])('are given to a new client: %s is disconnected', (_, overs, expected) => {
    gone.length = 0
    const slots = new Slots({ total: 3, perAddress: 3 })
    for (const [i, over] of overs.entries()) expect(slots.admit(client(String(i), over), 0)).toBe(true)
    expect(slots.admit(client('new'), idleMs + 9)).toBe(true)
    expect(gone).toEqual([String(expected)])
    expect(slots.size).toBe(3)
  })

  it('stay with clients that sent something a moment ago, or that wait for the server', () => {
    gone.length = 0
    const slots = new Slots({ total: 2, perAddress: 2 })
    slots.admit(client('a', { lastProgressAt: 1000 }), 1000)
    slots.admit(client('b', { isAwaited: false }), 1000)
    expect(slots.admit(client('new'), 1000 + idleMs - 1)).toBe(false)
    expect(gone).toEqual([])
    expect(slots.admit(client('new'), 1000 + idleMs)).toBe(true)
    expect(gone).toEqual(['a'])
  })

  it('of one address are limited to its share, and only its own clients are disconnected', () => {
    gone.length = 0
    const slots = new Slots({ total: 4, perAddress: 2 })
    slots.admit(client('other', { remoteAddress: '192.0.2.9' }), 0)
    slots.admit(client('a'), 0)
    slots.admit(client('b', { remoteAddress: '127.0.0.2', lastProgressAt: 1 }), 0)
    expect(slots.admit(client('c', { remoteAddress: '::1' }), 5)).toBe(false)
    expect(slots.admit(client('c', { remoteAddress: '::1' }), idleMs)).toBe(true)
    expect(gone).toEqual(['a'])
    expect(slots.admit(client('d', { remoteAddress: '192.0.2.9' }), 5)).toBe(true)
    expect(slots.size).toBe(4)
  })

  it('of one IPv4 address are its share in every spelling', () => {
    for (const spelling of spellingsOf('192.0.2.9')) {
      const slots = new Slots({ total: 4, perAddress: 1 })
      slots.admit(client('a', { remoteAddress: '192.0.2.9' }), 0)
      expect([spelling, slots.admit(client('b', { remoteAddress: spelling }), 0)]).toEqual([spelling, false])
      expect(slots.admit(client('c', { remoteAddress: '::ffff:192.0.2.10' }), 0)).toBe(true)
    }
  })

  it('are freed once when they are released', () => {
    const slots = new Slots({ total: 1, perAddress: 1 })
    const [a, b] = [client('a', { isAwaited: false }), client('b')]
    slots.admit(a, 0)
    expect(slots.admit(b, 0)).toBe(false)
    slots.release(a)
    slots.release(a)
    slots.release(b)
    expect(slots.admit(b, 0)).toBe(true)
    expect(slots.size).toBe(1)
  })
})
