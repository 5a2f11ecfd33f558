/** The messages that the load generators send: real ones, since a peer parses each of them. */

const line = 'The quick brown fox jumps over the lazy dog while ten kind wizards look on quietly.\r\n'

/**
 * A set of RFC 5322 messages of one size, different in sender name, subject and Message-ID.
 *
 * 2 KB is plain text with an HTML alternative, 20 KB the same with a long HTML part, and from 256 KB on the bulk is a
 * base64 attachment.
 *
 * @param {number} bytes  About how large each one is.
 * @param {number} [count]  How many there are.
 * @returns {Buffer[]} With the end-of-data line; no line begins with a dot.
 */
export function makeMessages(bytes, count = 64) {
  return Array.from({ length: count }, (_, i) => Buffer.from(`${makeMessage(bytes, i)}\r\n.\r\n`, 'latin1'))
}

function makeMessage(bytes, i) {
  const head = [
    `From: Sender ${i} <sender${i}@acme.test>`,
    `To: Ada Lovelace <ada${i}@example.com>`,
    `Subject: Benchmark message ${i} of a batch`,
    `Message-ID: <bench-${i}-${bytes}@acme.test>`,
    'Date: Mon, 01 Jun 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
  ].join('\r\n')
  const bulk = bytes >= 256 * 1024 ? attachment : html
  const frame = bulk(head, 0).length
  return bulk(head, Math.max(1, Math.floor((bytes - frame) / line.length)))
}

function html(head, lines) {
  const text = `Content-Type: text/plain; charset=utf-8\r\n\r\nHello.\r\n${line}`
  const body = `<html><body>\r\n${`<p>${line.slice(7)}`.repeat(lines)}<a href="https://acme.test/verify">Verify</a></body></html>`
  return `${head}\r\nContent-Type: multipart/alternative; boundary="=-b"\r\n\r\n--=-b\r\n${text}--=-b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}\r\n--=-b--`
}

function attachment(head, lines) {
  const base64 = `${'QmVuY2htYXJr'.repeat(6)}QmVu\r\n`.repeat(Math.round((lines * line.length) / 78))
  const text = `Content-Type: text/plain; charset=utf-8\r\n\r\nThe file is attached.\r\n`
  const file =
    'Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="data.bin"\r\n\r\n'
  return `${head}\r\nContent-Type: multipart/mixed; boundary="=-m"\r\n\r\n--=-m\r\n${text}--=-m\r\n${file}${base64}--=-m--`
}
