import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createTokens, type TrackingToken } from '../../src/tracking/tokens.ts'
import { testClock } from '../support/clock.ts'

const clock = testClock()
const secret = randomBytes(32)
const tokens = createTokens(secret, clock)
const id = 'em_0123456789abcdefghjkmn'

const all: TrackingToken[] = [
  { kind: 'open', email_id: id, recipient: 0 },
  { kind: 'click', email_id: id, recipient: 49, link: 'https://ä.test/?a=1&b="é"\u{1f600}#x' },
  { kind: 'unsubscribe', audience_id: 'aud_1', contact_id: 'con_1', broadcast_id: 'bc_1' },
]

describe('a token', () => {
  it.each(all)('of kind $kind gives back its content, and is invalid as another kind', (token) => {
    const text = tokens.make(token)
    expect(text).toMatch(/^[\w-]+\.[\w-]{22}$/)
    for (const kind of ['open', 'click', 'unsubscribe'] as const) {
      expect(tokens.read(kind, text)).toEqual(kind === token.kind ? token : null)
    }
  })

  it('is short', () => {
    expect(tokens.make({ kind: 'open', email_id: id, recipient: 0 }).length).toBeLessThan(80)
  })

  it('is invalid when one of its characters differs', () => {
    const text = tokens.make({ kind: 'click', email_id: id, recipient: 0, link: 'http://a.test/' })
    for (let i = 0; i < text.length; i++) {
      for (const other of ['A', 'b', '7', '-', '_', '.', '=', '%', ' ', '\0', 'é', '']) {
        const forged = text.slice(0, i) + other + text.slice(i + 1)
        if (forged !== text) expect(tokens.read('click', forged), forged).toBeNull()
      }
    }
  })

  it.each(['', '.', '..', 'x', 'x.', '.x', 'a.b', 'x'.repeat(100_000), '\ud800.', 'null', '[1].x'])(
    'is not %j',
    (text) => expect(tokens.read('open', text)).toBeNull(),
  )

  it('is invalid where another instance signed it, or with an empty secret', () => {
    const token: TrackingToken = { kind: 'open', email_id: id, recipient: 0 }
    for (const other of [randomBytes(32), Buffer.alloc(32), Buffer.alloc(0)])
      expect(tokens.read('open', createTokens(other, clock).make(token))).toBeNull()
  })

  it('is invalid with more text after it', () => {
    const text = tokens.make({ kind: 'open', email_id: id, recipient: 0 })
    for (const more of ['A', '=', '.', '.A', ' ', '\n']) expect(tokens.read('open', text + more)).toBeNull()
  })

  it('of another version is invalid', () => {
    const payload = Buffer.from(JSON.stringify([2, 'o', id, 0, ''])).toString('base64url')
    const code = createHmac('sha256', secret).update(payload).digest().subarray(0, 16).toString('base64url')
    expect(tokens.read('open', `${payload}.${code}`)).toBeNull()
  })

  it('is valid without limit, or until it expires', async () => {
    const clock = testClock()
    const tokens = createTokens(secret, clock)
    const forGood = tokens.make({ kind: 'open', email_id: id, recipient: 0 })
    const expires = clock.now() + 1000
    const text = tokens.make({ kind: 'open', email_id: id, recipient: 0, expires })
    await clock.advance(999)
    expect(tokens.read('open', text)).toEqual({ kind: 'open', email_id: id, recipient: 0, expires })
    await clock.advance(1)
    expect(tokens.read('open', text)).toBeNull()
    await clock.advance(1e12)
    expect(tokens.read('open', forGood)).not.toBeNull()
  })
})
