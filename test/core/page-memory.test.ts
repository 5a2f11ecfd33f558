import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { ModuleKind, ScriptTarget, transpile } from 'typescript'
import { expect, it } from 'vitest'
import { collectBefore, pageBuffer } from '../../src/core/page-memory.ts'

it('makes buffers of zeros that can be written, read and cut like others', () => {
  const buffer = pageBuffer(3_000_000)
  expect([buffer.length, buffer.buffer.byteLength, buffer.equals(Buffer.alloc(3_000_000))]).toEqual([
    3_000_000,
    3_000_000,
    true,
  ])
  expect(buffer.write('こんにちは', 5)).toBe(15)
  expect(buffer.subarray(5, 20).toString()).toBe('こんにちは')
  expect(Buffer.concat([buffer.subarray(5, 8), Buffer.from('x')]).toString()).toBe('こx')
})

it('gives the memory of a buffer back to the system when it is collected', () => {
  const {
    before = 0,
    during = 0,
    after = 0,
  } = inProcess<number>(`
    const keep = []
    const before = rss()
    // Small pieces that stay lie between the large ones.
    let large = Array.from({ length: 100 }, () => {
      keep.push(Buffer.allocUnsafeSlow(20_000).fill(1))
      return pageBuffer(1_000_000).fill(1)
    })
    const during = rss()
    large = null
    gc()
    await pause()
    gc()
    print({ before, during, after: rss() })
  `)
  expect(during - before).toBeGreaterThan(90)
  expect(after - before).toBeLessThan(20)
})

it('begins a collection before work on many bytes, which takes no memory', () => {
  const { few, many, grown } = inProcess<boolean | number>(`
    const { PerformanceObserver, constants } = await import('node:perf_hooks')
    let collections = 0
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++
    }).observe({ entryTypes: ['gc'] })
    const begins = async () => {
      const before = collections
      for (let turn = 0; turn < 200 && collections === before; turn++) await pause()
      return collections > before
    }
    await begins()
    for (let i = 0; i < 100; i++) collectBefore(1_000_000)
    const few = await begins()
    const before = rss()
    collectBefore(36_000_000)
    print({ few, many: await begins(), grown: rss() - before })
  `)
  expect({ few, many }).toEqual({ few: false, many: true })
  expect(grown).toBeLessThan(16)
})

it('works if the system refuses the address space', () => {
  expect(() => collectBefore(Number.MAX_SAFE_INTEGER)).not.toThrow()
})

/** Runs code with the module in a process of its own. @returns What it prints. */
function inProcess<Value>(code: string): Record<string, Value> {
  const source = readFileSync(new URL('../../src/core/page-memory.ts', import.meta.url), 'utf8')
  const module = transpile(source, { module: ModuleKind.ESNext, target: ScriptTarget.ES2023 })
  const helpers = `
    const rss = () => process.memoryUsage.rss() / 1048576
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
    const print = (value) => console.log(JSON.stringify(value))`
  const args = ['--expose-gc', '--input-type=module', '--eval', `${module}${helpers}\n${code}`]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Record<string, Value>
}
