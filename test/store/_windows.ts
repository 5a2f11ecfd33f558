import type { Files } from '../../src/core/files.ts'
import { systemError } from './_setup.ts'

/** Operations that may need disk space. */
const needRoom: ReadonlySet<string> = new Set([
  'open',
  'write',
  'sync',
  'rename',
  'makeFolder',
  'removeFolder',
  'syncFolder',
  'link',
])

/** A file system that fails for a number of operations in a row, of any kind. */
export interface WindowedFiles {
  readonly files: Files
  /** How many operations there were. */
  readonly calls: number
  /** How many of them failed. */
  readonly failed: number
  /** Fails `length` operations from the n-th on, counted from now. With ENOSPC, only those that need space fail. */
  breakAt(n: number, length: number, code: 'EIO' | 'ENOSPC'): void
  /** Ends the fault. @returns Whether the disk still failed. */
  repair(): boolean
}

export function windowedFiles(inner: Files): WindowedFiles {
  const state = { calls: 0, failed: 0, from: Number.POSITIVE_INFINITY, to: 0, code: 'EIO' }
  /** Counts an operation, and returns whether it fails. */
  function fails(name: string): boolean {
    const call = ++state.calls
    if (call < state.from || call >= state.to) return false
    if (state.code === 'ENOSPC' && !needRoom.has(name)) return false
    state.failed++
    return true
  }
  const around =
    <A extends unknown[], R>(name: string, run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (fails(name)) throw systemError(state.code)
      return await run(...args)
    }
  const files: Files = {
    open: around('open', inner.open),
    openNow(path) {
      if (fails('openNow')) throw systemError(state.code)
      return inner.openNow(path)
    },
    // As in real systems, the descriptor is closed although `close` fails with EIO.
    async close(fd) {
      const failing = fails('close')
      await inner.close(fd)
      if (failing) throw systemError(state.code)
    },
    closeNow(fd) {
      inner.closeNow(fd)
      if (fails('closeNow')) throw systemError(state.code)
    },
    // The bytes that were written before the disk was full remain.
    async write(fd, bytes, at) {
      if (!fails('write')) return await inner.write(fd, bytes, at)
      await inner.write(fd, bytes.subarray(0, bytes.byteLength >> 1), at)
      throw systemError(state.code)
    },
    read: around('read', inner.read),
    stream: inner.stream,
    sync: around('sync', inner.sync),
    truncate: around('truncate', inner.truncate),
    size: around('size', inner.size),
    readAll: around('readAll', inner.readAll),
    list: around('list', inner.list),
    rename: around('rename', inner.rename),
    remove: around('remove', inner.remove),
    makeFolder: around('makeFolder', inner.makeFolder),
    removeFolder: around('removeFolder', inner.removeFolder),
    syncFolder: around('syncFolder', inner.syncFolder),
    link: around('link', inner.link),
    touch: around('touch', inner.touch),
    touched: around('touched', inner.touched),
    stampNow: inner.stampNow,
    freeBytes: around('freeBytes', inner.freeBytes),
  }
  return {
    files,
    get calls() {
      return state.calls
    },
    get failed() {
      return state.failed
    },
    breakAt(n, length, code) {
      state.from = state.calls + n
      state.to = state.from + length
      state.code = code
    },
    repair() {
      const failing = state.calls + 1 >= state.from && state.calls + 1 < state.to
      state.from = Number.POSITIVE_INFINITY
      return failing
    },
  }
}
