import { expect, test } from 'vitest'
import { readHealth } from '../../src/server/health.ts'

type Deps = Parameters<typeof readHealth>[0]

/** Parts of an instance where one SMTP client waits at the HTTP port. */
function partsOf(store: Partial<Deps['store']>, database?: object): Deps {
  const parts: Partial<Record<keyof Deps, unknown>> = {
    config: { publicUrl: null, traceUrl: null, relay: null },
    state: () =>
      Promise.resolve({ status: 'ok', warnings: [], refusal: null, ...(database && { database }) }),
    listener: () => ({ url: 'http://127.0.0.1:1', silentSince: () => [1000] }),
    faults: { state: () => null },
    store: { count: () => Promise.resolve(0), ...store },
  }
  return parts as Deps
}

const hangs = (): Promise<never> => new Promise(() => {})

test('a database that hangs is not waited for longer than a second', async () => {
  const began = performance.now()
  expect(await readHealth(partsOf({ page: hangs }))).toMatchObject({ silent_connections: null })
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('a database that is known to hang is not asked', async () => {
  let asked = 0
  const page = (): Promise<never> => {
    asked++
    return hangs()
  }
  const away = partsOf({ page }, { instances: null })
  expect(await readHealth(away)).toMatchObject({ silent_connections: null, counts: null })
  expect(asked).toBe(0)
})

test('silent connections are those after the last mail', async () => {
  const pageOf = (created: number[]): Deps['store']['page'] =>
    (() => Promise.resolve({ records: created.map((time) => ({ created: time })) })) as never
  const silent = { count: 1, last: 1000 }
  expect((await readHealth(partsOf({ page: pageOf([]) }))).silent_connections).toEqual(silent)
  expect((await readHealth(partsOf({ page: pageOf([999]) }))).silent_connections).toEqual(silent)
  expect((await readHealth(partsOf({ page: pageOf([1001]) }))).silent_connections).toBeNull()
})
