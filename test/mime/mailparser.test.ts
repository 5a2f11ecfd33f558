import { expect, it } from 'vitest'
import { loadMailparser } from '../../src/mime/mailparser.ts'

it('lets the event loop turn while mailparser is loaded, which it is once', async () => {
  let turns = 0
  let isLoaded = false
  const count = (): void => {
    turns++
    if (!isLoaded) setImmediate(count)
  }
  setImmediate(count)
  const loaded = loadMailparser()
  expect(loadMailparser()).toBe(loaded)
  expect((await loaded).MailParser).toBeTypeOf('function')
  isLoaded = true
  expect(turns).toBeGreaterThanOrEqual(9)
})
