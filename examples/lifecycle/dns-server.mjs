import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import dnsPacket from 'dns-packet'

/**
 * A small DNS server for one owner's zones, over UDP on a free port of loopback. It begins with nothing published.
 *
 * @returns `address`, for the option `dns.servers`; `publish`, which takes the text of a zone file as
 *   `post.domains.zone` gives it; `lose`, which forgets a record; and `close`.
 */
export async function openDnsServer() {
  /** @type {{ name: string, type: string, data: unknown }[]} */
  let records = []
  const socket = createSocket('udp4')
  socket.on('message', (bytes, from) => {
    const query = dnsPacket.decode(bytes)
    socket.send(dnsPacket.encode(answer(query, records)), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    publish(zone) {
      records = [...records, ...readZone(zone)]
    },
    lose(name, type) {
      records = records.filter((record) => record.name !== name || record.type !== type)
    },
    close: () => new Promise((done) => socket.close(done)),
  }
}

/** What DNS says: the records; nothing, where the name has other types only; or that there is no such name. */
function answer(query, records) {
  const [{ name, type }] = query.questions
  const named = records.filter((record) => record.name === name.toLowerCase())
  const found = named.filter((record) => record.type === type)
  const nameError = 3
  return {
    type: 'response',
    id: query.id,
    flags: dnsPacket.AUTHORITATIVE_ANSWER | (named.length === 0 ? nameError : 0),
    questions: query.questions,
    answers: found.map(({ data }) => ({ name, type, ttl: 60, data })),
  }
}

/** Reads lines such as `mail IN MX 10 host.` below `$ORIGIN acme.test.`; RFC 1035, section 5, as far as we need it. */
function readZone(text) {
  const [, origin] = /^\$ORIGIN (\S+)\.$/m.exec(text)
  return [...text.matchAll(/^(\S+) IN (TXT|MX) (.+)$/gm)].map(([, name, type, rest]) => ({
    name: `${name}.${origin}`,
    type,
    data: type === 'MX' ? readMx(rest) : [...rest.matchAll(/"([^"]*)"/g)].map(([, string]) => string),
  }))
}

function readMx(rest) {
  const [preference, exchange] = rest.split(' ')
  return { preference: Number(preference), exchange: exchange.replace(/\.$/, '') }
}
