import type { IncomingMessage } from 'node:http'
import { noRoom } from '../core/byte-budget.ts'
import { LocalpostError } from '../core/errors.ts'
import { longBodyBytes } from '../core/long-body.ts'
import { systemClock, type Clock } from '../core/clock.ts'
import { collectBefore, pageBuffer } from '../core/page-memory.ts'
import type { BodyShare } from './body-room.ts'
import { bodyLimits } from './route.ts'

/** How long the client of a long body may send nothing, in milliseconds. */
const longestPauseMs = 10_000

/**
 * Reads the body of a request over a socket.
 *
 * @param room  Counts its bytes. A long body waits there until there is memory for it.
 * @param announced  Its Content-Length; 0 without one.
 * @throws payload_too_large, service_unavailable; invalid_json for a body that was broken off or came too slowly.
 */
export function readNode(
  request: IncomingMessage,
  limit: number,
  room: BodyShare,
  announced: number,
  onPiece: (() => void) | undefined,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces = createPieces(Math.min(announced, limit))
    let size = 0
    let long: LongBodyWatch | null = null
    const settle = (finish: () => void): void => {
      long?.end()
      request.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak)
      finish()
    }
    // Read and drop the rest: a client that is disconnected while it writes never reads the answer.
    const refuse = (error: unknown): void => settle(() => (request.resume(), reject(error)))
    const becomeLong = (): void => {
      long = reserveLong(request, room, announced > 0 ? announced : limit, clock, refuse)
    }
    const onData = (piece: Buffer): void => {
      size += piece.length
      onPiece?.()
      try {
        if (size > limit) throw tooLarge(limit, 'sent without a length')
        const isShort = size <= longBodyBytes
        if (long) long.onPiece()
        else if (!isShort || !room.take(piece.length)) {
          if (isShort && announced > 0) throw noRoom('Other requests hold the memory for bodies.')
          becomeLong()
        }
        pieces.add(piece)
      } catch (error) {
        refuse(error)
      }
    }
    const onEnd = (): void => settle(() => resolve(pieces.whole()))
    const onBreak = (error?: unknown): void => settle(() => reject(brokenOff(error)))
    if (request.destroyed && !request.complete) return reject(brokenOff(request.errored))
    request.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak)
    // Before anything is read. A body without a length becomes long when it is, or when it finds no room.
    if (announced > longBodyBytes) becomeLong()
  })
}

interface LongBodyWatch {
  onPiece(): void
  /** The body was read or refused. */
  end(): void
}

/**
 * Reserves memory for a long body; its client waits until there is some. From then on, the pauses of the client are
 * limited, because other bodies may wait for the memory of this one.
 *
 * @param refuse  Called if there is no memory, and at a pause that is too long.
 */
function reserveLong(
  request: IncomingMessage,
  room: BodyShare,
  bytes: number,
  clock: Pick<Clock, 'after'>,
  refuse: (error: unknown) => void,
): LongBodyWatch {
  let hasBegun = false
  let isOver = false
  let stopTimer = (): void => undefined
  const restartTimer = (): void => {
    stopTimer()
    stopTimer = clock.after(longestPauseMs, () => refuse(tooSlow()))
  }
  const begin = (): void => {
    collectBefore(bytes)
    hasBegun = true
    restartTimer()
  }
  const turn = room.reserve(bytes)
  if (turn) {
    // Its bytes stay in its socket.
    request.pause()
    void turn.then(() => {
      if (isOver) return
      begin()
      request.resume()
    }, refuse)
  } else begin()
  return {
    onPiece() {
      if (hasBegun) restartTimer()
    },
    end() {
      isOver = true
      stopTimer()
    },
  }
}

/**
 * Reads the body of a request that came in process.
 *
 * @throws payload_too_large, service_unavailable; invalid_json for a body that was broken off.
 */
export async function readWeb(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  room: BodyShare,
  onPiece: (() => void) | undefined,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  let isReserved = false
  const reader = body?.getReader()
  for (;;) {
    const next = await reader?.read().catch((error: unknown) => {
      throw brokenOff(error)
    })
    if (!next || next.done) return Buffer.concat(pieces, size)
    size += next.value.length
    onPiece?.()
    pieces.push(next.value)
    try {
      if (size > limit) throw tooLarge(limit, 'sent without a length')
      if (!isReserved && (size > longBodyBytes || !room.take(next.value.length))) {
        isReserved = true
        await room.reserve(limit)
      }
    } catch (error) {
      await reader?.cancel()
      throw error
    }
  }
}

/** The error of a body with more bytes than its route takes. */
export function tooLarge(limit: number, size: string): LocalpostError {
  const advice = limit === bodyLimits.large ? 'Send less, or give attachments as URLs' : 'Send less'
  const message = `The body is larger than the ${limit} bytes that this operation takes: ${size}. ${advice}.`
  return new LocalpostError('payload_too_large', message)
}

function brokenOff(cause: unknown): LocalpostError {
  const message = 'The body is incomplete: the connection was closed before its end.'
  return new LocalpostError('invalid_json', message, { cause })
}

function tooSlow(): LocalpostError {
  const message = `The body is incomplete: nothing came for ${longestPauseMs / 1000} seconds. Send it again.`
  return new LocalpostError('invalid_json', message)
}

/**
 * Joins the pieces of a body. A long body with a known length is joined while it arrives, because joining 40 MB at the end
 * would block the event loop.
 */
function createPieces(announced: number): { add(piece: Buffer): void; whole(): Buffer } {
  let pieces: Buffer[] = []
  let size = 0
  /** A buffer of the announced length, with the bytes so far. */
  let joined: Buffer | null = null
  const join = (): Buffer => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size))
  return {
    add(piece) {
      // The announced length may be wrong, so the buffer is allocated only after the first megabyte has arrived.
      if (!joined && size > longBodyBytes && size + piece.length <= announced) {
        joined = pageBuffer(announced)
        join().copy(joined)
        pieces = []
      }
      if (joined) piece.copy(joined, size)
      else pieces.push(piece)
      size += piece.length
    },
    whole: () => joined?.subarray(0, size) ?? join(),
  }
}
