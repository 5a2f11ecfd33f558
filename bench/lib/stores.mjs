/** Data folders with many emails in them. */
import {
  closeSync,
  cpSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeMessages } from '../load/messages.mjs'
import { runJson } from './processes.mjs'

const generator = fileURLToPath(new URL('../load/smtp.mjs', import.meta.url))

/** Hands so many messages in over SMTP, with credentials or without. @param different  How many of them differ. Default: 64. */
export function submit(server, count, bytes, { auth, different } = {}) {
  const load = {
    bytes,
    auth,
    different,
    connections: 16,
    oneEach: false,
    warmUpMs: 0,
    measureMs: 1e7,
    count,
    leastCount: count,
    seconds: 900,
  }
  return runJson([generator, JSON.stringify({ ...load, port: server.smtpPort, pid: server.pid })])
}

/**
 * Makes a data folder of each size: one store that grows over SMTP, copied at each size.
 *
 * @param {{ start: any, scratch: string, tell: (line: string) => void }} context
 * @param {number[]} sizes  In ascending order.
 * @returns {Promise<Map<number, string>>} Folder by size. Each was closed properly.
 */
export async function seedStores({ start, scratch, tell }, sizes) {
  const growing = join(scratch, 'seed')
  const folders = new Map()
  let stored = 0
  for (const size of sizes) {
    tell(`seeding ${size} emails`)
    const server = await start.process({ dir: growing })
    await submit(server, size - stored, 2048)
    await server.stop('SIGTERM')
    stored = size
    const folder = join(scratch, `seed-${size}`)
    cpSync(growing, folder, { recursive: true })
    folders.set(size, folder)
  }
  return folders
}

/**
 * Sets the checkpoint of a closed store back, so that the next start has this much log to replay: what a crash leaves
 * between two checkpoints, at its most.
 *
 * @returns {number} How many bytes of log there are to replay.
 */
export function rewindCheckpoint(folder, bytes) {
  const logs = readdirSync(join(folder, 'log'))
    .filter((name) => /^\d+\.log$/.test(name))
    .sort()
  let behind = 0
  for (const name of logs.reverse()) {
    const fd = openSync(join(folder, 'log', name), 'r')
    try {
      const { size } = fstatSync(fd)
      behind += size
      if (behind < bytes) continue
      const at = frameAfter(fd, behind - bytes)
      const path = join(folder, 'checkpoint.json')
      const checkpoint = JSON.parse(readFileSync(path, 'utf8'))
      writeFileSync(
        path,
        `${JSON.stringify({ ...checkpoint, log: Number.parseInt(name, 10), offset: at.offset, seq: at.seq })}\n`,
      )
      return behind - at.offset
    } finally {
      closeSync(fd)
    }
  }
  throw new Error(`the store has only ${behind} bytes of log`)
}

/** The last frame boundary at or before a byte. @returns {{ offset: number, seq: number }} `seq` of the frame before. */
function frameAfter(fd, wanted) {
  const head = Buffer.alloc(64 * 1024)
  let offset = 0
  for (;;) {
    const text = head.toString('latin1', 0, readSync(fd, head, 0, head.length, offset))
    const match = /^\{"seq":(\d+),"len":(\d+),/.exec(text)
    if (!match) throw new Error('the log has another form than the benchmark knows')
    const end = offset + text.indexOf('\n') + 1 + Number(match[2])
    if (end > wanted) return { offset, seq: Number(match[1]) - 1 }
    offset = end
  }
}

/** Writes the folder that maildev 3.0.0 keeps: one file for each message. */
export function seedMaildev(folder, count) {
  const messages = makeMessages(2048).map((bytes) => bytes.subarray(0, -5))
  for (let i = 0; i < count; i++) {
    writeFileSync(join(folder, `${i.toString(36).padStart(8, '0')}.eml`), messages[i % messages.length])
  }
}
