/** @see RFC 6455 section 11.8 */
const opcodes = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const
/** In place of a length: it follows in 16 or in 64 bits. @see RFC 6455 section 5.2 */
const lengthIn16Bits = 126
const lengthIn64Bits = 127

/** A message of text. @see RFC 6455 section 5.2 */
export function textFrame(text: string): Buffer {
  return frame(opcodes.text, Buffer.from(text))
}

/** A question whether the other side is there, which every client answers. */
export const pingFrame: Buffer = frame(opcodes.ping)

/** The answer to a ping. */
export function pongFrame(payload: Uint8Array): Buffer {
  return frame(opcodes.pong, payload)
}

/** @param code  RFC 6455 section 7.4.1: why the connection ends; null if the other side gave no reason. */
export function closeFrame(code: number | null): Buffer {
  return frame(opcodes.close, code === null ? Buffer.alloc(0) : Buffer.from([code >> 8, code & 0xff]))
}

/** What a client sent that a server has to act on. */
export type ClientFrame =
  | { readonly kind: 'ping'; readonly payload: Buffer }
  /** `code` is null if the client gave none. */
  | { readonly kind: 'close'; readonly code: number | null }
  /** The client broke the protocol, or sent too much: the connection has to be closed with this code. */
  | { readonly kind: 'wrong'; readonly code: number }

/**
 * Makes a function that reads what a client sends, piece by piece. Its messages are checked and dropped, because clients
 * have nothing to tell.
 *
 * @returns What to act on, in its order. After `close` and `wrong` nothing more is read.
 */
export function createFrameReader(): (piece: Uint8Array) => ClientFrame[] {
  let rest: Buffer = Buffer.alloc(0)
  let isEnded = false
  /** The bytes of a message of which more fragments follow; null if there is none. */
  let begun: number | null = null

  /** Takes one frame off the beginning. The checks follow the order of the bytes in the frame. */
  function take(): ClientFrame | 'dropped' | 'incomplete' {
    const wrong = (code: number): ClientFrame => ({ kind: 'wrong', code })
    const [first, second] = rest
    if (first === undefined || second === undefined) return 'incomplete'
    const opcode = first & 0x0f
    const isLast = (first & 0x80) !== 0
    const isControl = opcode >= 0x8
    const isKnown = isControl ? opcode <= opcodes.pong : opcode <= opcodes.binary
    // No extension was agreed on, and everything from a client is masked.
    if ((first & 0x70) !== 0 || !isKnown || (second & 0x80) === 0) return wrong(protocolError)
    const short = second & 0x7f
    if (isControl && (!isLast || short >= lengthIn16Bits)) return wrong(protocolError)
    if (!isControl && (opcode === opcodes.continuation) !== (begun !== null)) return wrong(protocolError)
    if (short === lengthIn64Bits) return wrong(tooBig)
    if (short === lengthIn16Bits && rest.length < 4) return 'incomplete'
    const length = short === lengthIn16Bits ? rest.readUInt16BE(2) : short
    if (!isControl && (begun ?? 0) + length > maxClientMessageBytes) return wrong(tooBig)
    const start = (short === lengthIn16Bits ? 4 : 2) + maskBytes
    if (rest.length < start + length) return 'incomplete'
    const mask = rest.subarray(start - maskBytes, start)
    const payload = Buffer.from(
      rest.subarray(start, start + length).map((byte, i) => byte ^ (mask[i % maskBytes] ?? 0)),
    )
    rest = rest.subarray(start + length)
    if (!isControl) begun = isLast ? null : (begun ?? 0) + length
    if (opcode === opcodes.ping) return { kind: 'ping', payload }
    if (opcode !== opcodes.close) return 'dropped'
    if (length === 0) return { kind: 'close', code: null }
    const code = length === 1 ? 0 : payload.readUInt16BE(0)
    return mayClose(code) ? { kind: 'close', code } : wrong(protocolError)
  }

  return (piece) => {
    const found: ClientFrame[] = []
    if (isEnded) return found
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece])
    for (;;) {
      const taken = take()
      if (taken === 'incomplete') return found
      if (taken === 'dropped') continue
      found.push(taken)
      if (taken.kind === 'ping') continue
      isEnded = true
      return found
    }
  }
}

/** The largest message of a client, which is dropped. */
export const maxClientMessageBytes = 4096

const maskBytes = 4
const protocolError = 1002
const tooBig = 1009

/** Whether a side may send this code; the others of section 7.4.1 only say what happened. */
function mayClose(code: number): boolean {
  if (code >= 3000) return code < 5000
  return code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)
}

/** Servers do not mask. */
function frame(opcode: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const { length } = payload
  const first = 0x80 | opcode
  if (length < lengthIn16Bits) return Buffer.concat([Buffer.from([first, length]), payload])
  const isShort = length < 2 ** 16
  const lengthBytes = Buffer.alloc(isShort ? 2 : 8)
  if (isShort) lengthBytes.writeUInt16BE(length)
  else lengthBytes.writeBigUInt64BE(BigInt(length))
  return Buffer.concat([
    Buffer.from([first, isShort ? lengthIn16Bits : lengthIn64Bits]),
    lengthBytes,
    payload,
  ])
}
