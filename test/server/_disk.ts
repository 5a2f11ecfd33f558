import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { namedFiles } from '../support/named-files.ts'
import { systemError } from '../store/_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

/** The fault of the disk of a folder. */
export interface Disk {
  /** The log can neither be synced nor cut. */
  fails: boolean
  /** Nothing can be written until the reserve is given up. */
  isFull: boolean
  /** The free space that the system reports, in bytes; null reports the real one. */
  freeBytes: number | null
}

/** Lets calls of the file system on a folder fail until the test ends. */
export function hurtDisk(dir: string): Disk {
  const disk: Disk = { fails: false, isFull: false, freeBytes: null }
  const before = { ...nodeFiles }
  const { open, openNow, pathOf, sync, truncate, write, freeBytes } = namedFiles(before)
  let isReleased = false
  const assertWorks = (fd: number): void => {
    if (disk.fails && pathOf(fd).endsWith('.log')) throw systemError('EIO')
  }
  Object.assign(nodeFiles, {
    open,
    openNow,
    async sync(fd: number) {
      assertWorks(fd)
      await sync(fd)
    },
    async truncate(fd: number, length: number) {
      assertWorks(fd)
      await truncate(fd, length)
      isReleased ||= pathOf(fd) === join(dir, 'reserve')
    },
    async write(fd: number, bytes: Uint8Array, at: number) {
      if (disk.isFull && !isReleased && pathOf(fd).startsWith(dir)) throw systemError('ENOSPC')
      return await write(fd, bytes, at)
    },
    freeBytes: async (folder: string) => disk.freeBytes ?? (disk.isFull ? 0 : await freeBytes(folder)),
  })
  onTestFinished(() => void Object.assign(nodeFiles, before))
  return disk
}
