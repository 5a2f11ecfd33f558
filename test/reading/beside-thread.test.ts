import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import { readingJobs } from '../../src/reading/jobs.ts'
import { createReader } from '../../src/reading/blob-reader.ts'
import type { Reader } from '../../src/reading/reader.ts'

const MiB = 1024 * 1024
const ways: Readonly<Record<string, (reader: Reader) => Promise<unknown>>> = {
  bytes: (reader) => reader.bytes('em_1/message', async (bytes) => bytes.length),
  facts: (reader) => reader.facts('em_1/message'),
  nested: (reader) => reader.nested('em_1/message', [0], { view: 'mail' }),
  page: (reader) => reader.page({ message: 'em_1/message', content: null }, {}),
}

it.each([
  // The thread keeps the memory of its last message. Small messages are not read in it.
  ['bytes', 1024, false],
  ['bytes', 2 * MiB, false],
  ['bytes', 9 * MiB, true],
  ['facts', 2 * MiB, false],
  ['facts', 9 * MiB, true],
  ['nested', 2 * MiB, false],
  ['nested', 9 * MiB, true],
  ['page', 2 * MiB, false],
  ['page', 9 * MiB, true],
])('before %s of a message of %d bytes the reading thread ends: %s', async (way, size, ends) => {
  const steps: string[] = []
  const message = Buffer.concat([Buffer.from('Subject: s\r\n\r\n'), Buffer.alloc(size, 'x')])
  const thread = createJobThread(readingJobs, null)
  const reader = createReader({
    clock: systemClock,
    store: {
      blobSize: async () => message.length,
      async openBlob() {
        steps.push('read')
        return Readable.from([message], { objectMode: false })
      },
      async readBlob() {
        steps.push('read')
        return message
      },
    },
    thread: {
      ...thread,
      rest() {
        steps.push('ended')
        return thread.rest()
      },
    },
  })
  await ways[way]?.(reader)
  expect(steps).toEqual(ends ? ['ended', 'read'] : ['read'])
})

it('the structures of the latest 20 messages are read once', async () => {
  const read: string[] = []
  const message = Buffer.from('Subject: s\r\n\r\nx')
  const reader = createReader({
    clock: systemClock,
    store: {
      blobSize: async () => message.length,
      openBlob: async () => null,
      async readBlob(blob) {
        read.push(blob)
        return message
      },
    },
    thread: createJobThread(readingJobs, null),
  })
  const ids = Array.from({ length: 21 }, (_, index) => `em_${index}/message` as const)
  for (const id of [...ids, ...ids.slice(1)]) await reader.structure(id)
  expect(read).toEqual(ids)
  await reader.structure('em_0/message')
  expect(read).toHaveLength(22)
})
