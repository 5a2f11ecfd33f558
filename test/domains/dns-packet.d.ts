// The part of dns-packet that the test server uses; the package brings no types.
declare module 'dns-packet' {
  interface Question {
    type: string
    name: string
  }
  interface Answer {
    type: string
    name: string
    ttl: number
    data: unknown
  }
  interface Packet {
    id?: number
    type?: 'query' | 'response'
    flags?: number
    questions?: Question[]
    answers?: Answer[]
  }
  export function encode(packet: Packet): Buffer
  export function decode(bytes: Buffer): Packet
  export function streamEncode(packet: Packet): Buffer
  export function streamDecode(bytes: Buffer): Packet
  export const AUTHORITATIVE_ANSWER: number
  export const TRUNCATED_RESPONSE: number
}
