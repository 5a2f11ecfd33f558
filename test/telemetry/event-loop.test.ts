import { expect, onTestFinished, test } from 'vitest'
import { createLoopMonitor } from '../../src/telemetry/event-loop.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('every reader within ten seconds gets the same measurement', async () => {
  let now = 0
  const monitor = createLoopMonitor(() => now)
  onTestFinished(() => monitor.close())
  expect(monitor.read()).toBeNull()
  await expect.poll(() => monitor.read()).not.toBeNull()
  const first = monitor.read()
  now = 9999
  await pause(100)
  expect(monitor.read()).toBe(first)
  now = 10_000
  expect(monitor.read()).not.toBe(first)
})
