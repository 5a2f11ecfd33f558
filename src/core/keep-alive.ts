import { clearInterval, setInterval } from './machine.ts'

/**
 * Keeps the process alive until this work has ended: with `keepAlive: false` no port, connection or timer does, and what
 * is awaited would else stay pending for ever.
 */
export async function keepAlive<T>(work: () => Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, longTimeMs)
  try {
    return await work()
  } finally {
    clearInterval(hold)
  }
}

// Twelve days, within what a timer can be; nothing happens then.
const longTimeMs = 2 ** 30
