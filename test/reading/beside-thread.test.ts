import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createReader } from '../../src/reading/reader.ts'
import { createReadingThread } from '../../src/reading/thread.ts'

it.each([
  ['a large message', 2 * 1024 * 1024, true],
  ['a small message', 1024, false],
])(
  'the reading thread ends before the bytes of %s are read beside it: %d bytes, %s',
  async (_, size, ends) => {
    const steps: string[] = []
    const message = Buffer.concat([Buffer.from('Subject: s\r\n\r\n'), Buffer.alloc(size, 'x')])
    const thread = createReadingThread(systemClock)
    onTestFinished(() => thread.close())
    const reader = createReader({
      clock: systemClock,
      store: {
        blobSize: async () => message.length,
        async openBlob() {
          steps.push('opened')
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
    expect(await reader.bytes('em_1/message', async (bytes) => bytes.length)).toBe(message.length)
    expect(steps).toEqual(ends ? ['ended', 'opened'] : ['read'])
  },
)
