import { clearInterval, setInterval } from './machine.ts'

/** Keeps the process alive during work. With `keepAlive: false`, Node would exit while the caller still awaits it. */
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
