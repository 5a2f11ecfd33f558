import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { Files } from '../../src/core/files.ts'
import { systemError } from './_setup.ts'

/** A file: its current bytes, and those that are on the disk. */
interface File {
  live: Buffer
  disk: Buffer
  /** Whether the disk or another copy shares `live`. If so, a write copies it first. */
  shared: boolean
  /** Pages that differ from the disk. */
  dirty: Set<number>
}

/** A folder: its current names, and what each name meant since the last sync, oldest first. */
interface Folder {
  live: Map<string, Node>
  disk: Map<string, Node>
  since: Map<string, (Node | null)[]>
}

type Node = File | Folder

const pageBytes = 4096
const nothing = Buffer.alloc(0)

/**
 * A file system in memory that loses power as a disk may: any part of what was not synced is gone. Each page of a file
 * and each name of a folder is lost or kept on its own; a length may be any page's end in between.
 */
export class PowerFiles {
  readonly root: Folder = folder()
  /** Called before each operation that changes something. */
  onChange: () => void = () => {}
  readonly #open: Map<number, File> = new Map()
  #fd = 10

  /** How many files are open. */
  get openFiles(): number {
    return this.#open.size
  }

  /** What a power cut would leave now. @param keeps  Called for each thing that may be lost; returns a number from 0 up to 1. */
  cut(keeps: () => number): PowerFiles {
    const after = new PowerFiles()
    const made = new Map<Node, Node>()
    const survive = (node: Node): Node => {
      const known = made.get(node)
      if (known) return known
      if ('since' in node) {
        const kept = folder()
        made.set(node, kept)
        for (const name of new Set([...node.disk.keys(), ...node.since.keys()])) {
          const states = [node.disk.get(name) ?? null, ...(node.since.get(name) ?? [])]
          const state = states[Math.floor(keeps() * states.length)]
          if (state) kept.live.set(name, survive(state))
        }
        kept.disk = new Map(kept.live)
        return kept
      }
      const bytes = survivingBytes(node, keeps)
      const kept = { live: bytes, disk: bytes, shared: true, dirty: new Set<number>() }
      made.set(node, kept)
      return kept
    }
    const root = survive(this.root)
    if ('since' in root) {
      after.root.live = root.live
      after.root.disk = root.disk
    }
    return after
  }

  readonly files: Files = {
    open: async (path, flags) => {
      const { parent, name } = this.#place(path)
      const found = parent.live.get(name)
      if (found && 'since' in found) throw systemError('EISDIR')
      if (found && flags.includes('x')) throw systemError('EEXIST')
      if (!found && flags.startsWith('r')) throw systemError('ENOENT')
      if (!found || flags.startsWith('w')) this.onChange()
      const file: File = found ?? { live: nothing, disk: nothing, shared: true, dirty: new Set() }
      if (!found) setName(parent, name, file)
      else if (flags.startsWith('w')) resize(file, 0)
      return this.#hold(file)
    },
    openNow: (path) => this.#hold(this.#file(path)),
    close: async (fd) => void this.#open.delete(fd),
    closeNow: (fd) => void this.#open.delete(fd),
    write: async (fd, bytes, at) => {
      this.onChange()
      const file = this.#of(fd)
      if (at + bytes.byteLength > file.live.byteLength) resize(file, at + bytes.byteLength)
      if (file.shared) file.live = Buffer.from(file.live)
      file.shared = false
      file.live.set(bytes, at)
      const last = Math.floor((at + bytes.byteLength - 1) / pageBytes)
      for (let page = Math.floor(at / pageBytes); page <= last; page++) file.dirty.add(page)
      return bytes.byteLength
    },
    read: async (fd, into, at) => {
      const { live } = this.#of(fd)
      const part = live.subarray(at, at + into.byteLength)
      into.set(part)
      return part.byteLength
    },
    stream: (fd, start, end) => {
      const bytes = Buffer.from(this.#of(fd).live.subarray(start, end))
      this.#open.delete(fd)
      return Readable.from([bytes])
    },
    sync: async (fd) => {
      this.onChange()
      const file = this.#of(fd)
      file.disk = file.live
      file.shared = true
      file.dirty.clear()
    },
    truncate: async (fd, length) => {
      this.onChange()
      resize(this.#of(fd), length)
    },
    size: async (path) => {
      const node = this.#find(path)
      return node === null ? null : 'since' in node ? 0 : node.live.byteLength
    },
    readAll: async (path) => {
      const node = this.#find(path)
      if (node === null) return null
      if ('since' in node) throw systemError('EISDIR')
      return Buffer.from(node.live)
    },
    list: async (path) => {
      const node = this.#find(path)
      return node && 'since' in node ? [...node.live.keys()] : []
    },
    rename: async (from, to) => {
      this.onChange()
      const node = this.#find(from)
      if (!node) throw systemError('ENOENT')
      const target = this.#place(to)
      const source = this.#place(from)
      setName(target.parent, target.name, node)
      setName(source.parent, source.name, null)
    },
    remove: async (path) => {
      if (this.#find(path) === null) return
      this.onChange()
      const { parent, name } = this.#place(path)
      setName(parent, name, null)
    },
    makeFolder: async (path) => {
      if (this.#find(path) !== null) return false
      if (this.#find(dirname(path)) === null) await this.files.makeFolder(dirname(path))
      this.onChange()
      const { parent, name } = this.#place(path)
      setName(parent, name, folder())
      return true
    },
    removeFolder: async (path) => {
      const node = this.#find(path)
      if (!node || !('since' in node) || node.live.size > 0) return
      this.onChange()
      const { parent, name } = this.#place(path)
      setName(parent, name, null)
    },
    syncFolder: async (path) => {
      this.onChange()
      const node = this.#find(path)
      if (!node || !('since' in node)) throw systemError('ENOENT')
      node.disk = new Map(node.live)
      node.since.clear()
    },
    link: async (from, to) => {
      const file = this.#file(from)
      if (this.#find(to) !== null) throw systemError('EEXIST')
      this.onChange()
      const { parent, name } = this.#place(to)
      setName(parent, name, file)
    },
    touch: async () => 0,
    touched: async (path) => (this.#find(path) === null ? null : 0),
    stampNow: (path) => (this.#find(path) === null ? null : { dev: 1, ino: 1, mtimeMs: 0, nlink: 1 }),
    freeBytes: async () => 1e12,
  }

  #hold(file: File): number {
    const fd = this.#fd++
    this.#open.set(fd, file)
    return fd
  }

  #of(fd: number): File {
    const file = this.#open.get(fd)
    if (!file) throw systemError('EBADF')
    return file
  }

  #file(path: string): File {
    const node = this.#find(path)
    if (node === null || 'since' in node) throw systemError('ENOENT')
    return node
  }

  #find(path: string): Node | null {
    let node: Node = this.root
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (!('since' in node)) return null
      const next = node.live.get(name)
      if (!next) return null
      node = next
    }
    return node
  }

  #place(path: string): { parent: Folder; name: string } {
    const parent = this.#find(dirname(path))
    if (!parent || !('since' in parent)) throw systemError('ENOENT')
    return { parent, name: basename(path) }
  }
}

function folder(): Folder {
  return { live: new Map(), disk: new Map(), since: new Map() }
}

function setName(parent: Folder, name: string, node: Node | null): void {
  if (node) parent.live.set(name, node)
  else parent.live.delete(name)
  const since = parent.since.get(name) ?? []
  since.push(node)
  parent.since.set(name, since)
}

function resize(file: File, length: number): void {
  const bytes = Buffer.alloc(length)
  bytes.set(file.live.subarray(0, length))
  const from = Math.floor(Math.min(length, file.live.byteLength) / pageBytes)
  for (let page = from; page * pageBytes < Math.max(length, file.live.byteLength); page++)
    file.dirty.add(page)
  file.live = bytes
  file.shared = false
}

function survivingBytes({ live, disk, dirty }: File, keeps: () => number): Buffer {
  if (dirty.size === 0) return disk
  const [short, long] = [disk.byteLength, live.byteLength].sort((a, b) => a - b) as [number, number]
  const lengths = [short, long]
  for (let page = Math.ceil(short / pageBytes); page * pageBytes < long; page++)
    lengths.push(page * pageBytes)
  const length = lengths[Math.floor(keeps() * lengths.length)] ?? 0
  const bytes = Buffer.alloc(length)
  for (let page = 0; page * pageBytes < length; page++) {
    const from = dirty.has(page) && keeps() < 0.5 ? live : disk
    bytes.set(from.subarray(page * pageBytes, Math.min(length, (page + 1) * pageBytes)), page * pageBytes)
  }
  return bytes
}
