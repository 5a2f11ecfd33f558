/**
 * h3 alone: parses the JSON of `POST /v1/emails`, appends it to a file, and answers with an id when it is written.
 * `node bench/servers/bare-h3.mjs <port>`. Requests that wait at the same time share one write, as a log would do it.
 */
import fs from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// From the package that is measured, so that both sides run the same h3.
const resolve = createRequire(pathToFileURL(`${process.env.BENCH_PACKAGE}/package.json`)).resolve
const { H3, readBody, toNodeHandler } = await import(pathToFileURL(resolve('h3')).href)

const fd = fs.openSync(join(process.env.BENCH_DIR, 'bare.log'), 'a')
let waiting = []
let isWriting = false
let number = 0

const app = new H3()
app.post('/v1/emails', async (event) => {
  const body = await readBody(event)
  const id = `em_${++number}`
  await append(`${JSON.stringify({ id, ...body })}\n`)
  return { id }
})
createServer(toNodeHandler(app)).listen(Number(process.argv[2]), '127.0.0.1')

function append(line) {
  return new Promise((done) => {
    waiting.push({ line, done })
    if (!isWriting) write()
  })
}

function write() {
  const batch = waiting
  waiting = []
  isWriting = batch.length > 0
  if (!isWriting) return
  fs.write(fd, batch.map(({ line }) => line).join(''), (error) => {
    if (error) throw error
    for (const { done } of batch) done()
    write()
  })
}
