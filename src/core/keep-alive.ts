import { clearInterval, setInterval } from './machine.ts'

/**
 * Keeps the process alive until this work has ended. With `keepAlive: false` no port, connection or timer of an instance
 * does so, and Node would exit while its caller still awaits.
 */
export async function keepAlive<T>(work: () => Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, longTimeMs)
  try {
    return await work()
  } finally {
    clearInterval(hold)
  }
}

// Twelve days: half of the longest delay of a timer. Its callback does nothing.
const longTimeMs = 2 ** 30
