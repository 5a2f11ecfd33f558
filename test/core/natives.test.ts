import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import * as machine from '../../src/core/machine.ts'
import * as natives from '../../src/core/natives.ts'
import * as webNatives from '../../src/core/web-natives.ts'

const { eitherRealm, processGlobals: _globals, webNative: _webNative, ...own } = natives
const nativeGlobals = { ...own, ...webNatives }

/** Globals of Node that the build leaves as they are, because neither sources nor packages use them. */
const unused: readonly string[] = (
  'ByteLengthQueuingStrategy CountQueuingStrategy CustomEvent MessageEvent ' +
  'ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest ' +
  'ReadableByteStreamController ReadableStreamDefaultController TransformStreamDefaultController ' +
  'WritableStreamDefaultController WritableStreamDefaultWriter Performance PerformanceEntry ' +
  'PerformanceMark PerformanceMeasure PerformanceObserver PerformanceObserverEntryList ' +
  'PerformanceResourceTiming Crypto CryptoKey SubtleCrypto WebSocket CloseEvent EventSource ' +
  'Navigator navigator ErrorEvent QuotaExceededError Storage localStorage sessionStorage URLPattern'
).split(' ')
/** Those that no DOM replaces by something that works differently. */
const same: readonly string[] = ['Buffer', 'global', 'process', 'console']

describe("Node's globals", () => {
  const ofLanguage = new Set(runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
  // Such names are of vitest and of packages.
  const ofOthers = /^_|^VITEST/
  const ofNode = Object.getOwnPropertyNames(globalThis).filter(
    (name) => !ofLanguage.has(name) && !ofOthers.test(name),
  )

  it('are taken from Node by the build, or are of no use', () => {
    expect(ofNode).toContain('fetch')
    const taken = new Set([...Object.keys(nativeGlobals), ...Object.keys(machine), ...unused, ...same])
    expect(ofNode.filter((name) => !taken.has(name))).toEqual([])
  })

  it.each(Object.entries(nativeGlobals))('%s is that of Node', (name, native) => {
    expect(native).toBe(Reflect.get(globalThis, name))
  })

  it('and those of another realm are told by `instanceof`, as those of this one', () => {
    expect(new RangeError('x') instanceof (eitherRealm['Error'] as never)).toBe(true)
    expect(Buffer.from('x') instanceof (eitherRealm['Uint8Array'] as never)).toBe(true)
    expect(({} as unknown) instanceof (eitherRealm['Error'] as never)).toBe(false)
  })
})
