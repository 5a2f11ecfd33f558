import { expect, it } from 'vitest'
import { createClock } from '../../src/core/manual-clock.ts'
import { createBodyRoom } from '../../src/server/body-room.ts'
import { openOverSocket } from './_face.ts'

const noRoom: unknown = expect.objectContaining({ code: 'service_unavailable' })
const open = (
  limit: number,
): { clock: ReturnType<typeof createClock>; room: ReturnType<typeof createBodyRoom> } => {
  const clock = createClock()
  return { clock, room: createBodyRoom(limit, clock) }
}

it('long bodies wait for each other in order, and short ones are refused at once', async () => {
  const { room } = open(100)
  const [first, second, third, short] = [room.enter(), room.enter(), room.enter(), room.enter()]
  const order: string[] = []
  expect(first.reserve(60)).toBeUndefined()
  const waits = [
    second.reserve(50)?.then(() => order.push('second')),
    third.reserve(10)?.then(() => order.push('third')),
  ]
  short.take(40)
  expect(short.take(1)).toBe(false)
  expect(order).toEqual([])
  first.leave()
  await waits[0]
  third.leave()
  short.leave()
  second.leave()
  expect(order).toEqual(['second', 'third'])
  expect(room.enter().reserve(100)).toBeUndefined()
})

it('one long body has room however many short ones hold the rest, and so does one that is larger than the room', async () => {
  const { room } = open(100)
  const [part, whole, next] = [room.enter(), room.enter(), room.enter()]
  part.take(90)
  whole.take(10)
  expect(whole.reserve(500)).toBeUndefined()
  const waiting = next.reserve(20)
  whole.leave()
  await waiting
  next.leave()
  part.leave()
  const all = room.enter()
  all.take(100)
  expect(room.enter().take(1)).toBe(false)
})

it('a body that waited too long is refused, and one whose client left waits no longer', async () => {
  const { room, clock } = open(100)
  const [first, late, gone, last] = [room.enter(), room.enter(), room.enter(), room.enter()]
  void first.reserve(100)
  const refused = late.reserve(10)
  void gone.reserve(100)
  gone.leave()
  const outcome = expect(refused).rejects.toEqual(noRoom)
  await clock.advance(30_000)
  await outcome
  late.leave()
  const waiting = last.reserve(100)
  first.leave()
  await waiting
})

it(
  'large sends at once wait for the memory of others, instead of being refused',
  { timeout: 60_000 },
  async () => {
    const { post, base } = await openOverSocket({ limits: { requestBytes: 4_000_000 } })
    const body = JSON.stringify({
      from: 'eve@x.test',
      to: 'ada@x.test',
      subject: 'x',
      text: 'x'.repeat(3_000_000),
    })
    const headers = { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' }
    const chunked = (): ReadableStream<Uint8Array> => new Blob([body]).stream()
    const sends = Array.from({ length: 8 }, (_, n) =>
      fetch(`${base}/v1/emails`, {
        method: 'POST',
        headers,
        body: n % 2 === 0 ? body : chunked(),
        ...(n % 2 === 0 ? {} : { duplex: 'half' }),
      }),
    )
    const answers = await Promise.all(sends)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await post.emails.list()).count).toBe(8)
  },
)
