import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import * as dnsPacket from 'dns-packet'

/** The answer of the server for a name and type: records, or an error. */
export type DnsAnswer = unknown[] | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | 'silence'

export interface DnsServer {
  /** For `createDnsLookup({ servers })`. */
  address: string
  /** Answers by `name TYPE`. A name with other types has no data; a name without any does not exist. */
  answers: Map<string, DnsAnswer>
  /** Every question, as `udp name TYPE` or `tcp name TYPE`. */
  asked: string[]
  close(): Promise<void>
}

const codes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

/** A real DNS server on a free port of loopback, over UDP, and over TCP for what is too long for a datagram. */
export async function openDnsServer(): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>()
  const asked: string[] = []

  function respond(query: dnsPacket.Packet, via: 'udp' | 'tcp'): dnsPacket.Packet | null {
    const [question] = query.questions ?? []
    if (!question) return null
    const { name, type } = question
    asked.push(`${via} ${name} ${type}`)
    const exists = [...answers.keys()].some((key) => key.startsWith(`${name} `))
    const answer = answers.get(`${name} ${type}`) ?? (exists ? [] : 'NXDOMAIN')
    if (answer === 'silence') return null
    const code = typeof answer === 'string' ? codes[answer] : codes.NOERROR
    const records = typeof answer === 'string' ? [] : answer
    return {
      id: query.id ?? 0,
      type: 'response',
      flags: dnsPacket.AUTHORITATIVE_ANSWER | code,
      questions: [question],
      answers: records.map((data) => ({ type, name, ttl: 60, data })),
    }
  }

  const udp = createSocket('udp4')
  udp.on('message', (bytes, peer) => {
    const response = respond(dnsPacket.decode(bytes), 'udp')
    if (!response) return
    let packet = dnsPacket.encode(response)
    if (packet.length > 512) {
      const flags = (response.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE
      packet = dnsPacket.encode({ ...response, flags, answers: [] })
    }
    udp.send(packet, peer.port, peer.address)
  })
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    let waiting = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      waiting = Buffer.concat([waiting, bytes])
      while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
        const end = 2 + waiting.readUInt16BE(0)
        const response = respond(dnsPacket.streamDecode(waiting.subarray(0, end)), 'tcp')
        waiting = waiting.subarray(end)
        if (response) socket.write(dnsPacket.streamEncode(response))
      }
    })
  })
  // One port number for both: TCP picks it, and UDP is bound to the same.
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const address = tcp.address()
  const port = typeof address === 'object' && address ? address.port : 0
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')

  return {
    address: `127.0.0.1:${port}`,
    answers,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([
        new Promise((done) => tcp.close(done)),
        new Promise<void>((done) => udp.close(done)),
      ])
    },
  }
}
