import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { codeOf } from '../../core/errors.ts'

/** Where a pid is valid: in one boot of one machine, and in one pid namespace of it. */
export interface PidSpace {
  /** Different after each boot and on each machine; `""` if the system does not say. */
  readonly boot: string
  /** `""` if the system has no pid namespaces. */
  readonly namespace: string
}

/** Looks up processes; replaced in tests. */
export interface Processes {
  readonly pid: number
  readonly host: string
  /** Where the pids are valid that this process can look up. */
  pidSpace(): Promise<PidSpace>
  /** Whether the process exists and has not ended; a zombie has. */
  isAlive(pid: number): boolean
  /** When a process began: equal for the same process, different for a later one with its pid. `""`: not known. */
  startOf(pid: number): Promise<string>
  /** Waits this many milliseconds. Default: by a timer of the machine. */
  wait?(ms: number): Promise<void>
}

export const systemProcesses: Processes = {
  pid: process.pid,
  host: hostname(),
  async pidSpace() {
    try {
      if (process.platform === 'linux') {
        const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1')
        // If `/proc` is of another pid namespace, no process can be looked up: a random value makes every other space differ.
        const namespace = ownProc() ? await readlink('/proc/self/ns/pid') : hiddenSpace
        return { boot: boot.trim(), namespace }
      }
      if (process.platform !== 'darwin') return unknownSpace
      const { stdout } = await promisify(execFile)('sysctl', ['-n', 'kern.bootsessionuuid'])
      return { boot: stdout.trim(), namespace: '' }
    } catch {
      return unknownSpace
    }
  },
  isAlive(pid) {
    try {
      process.kill(pid, 0)
    } catch (error) {
      if (codeOf(error) !== 'EPERM') return false
    }
    return !hasEnded(pid)
  },
  async startOf(pid) {
    try {
      if (process.platform === 'linux')
        return statFields(await readFile(statOf(pid), 'latin1'))[startTimeField] ?? ''
      if (process.platform === 'win32') return ''
      const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)])
      return stdout.trim()
    } catch {
      return ''
    }
  },
}

const unknownSpace: PidSpace = { boot: '', namespace: '' }
const hiddenSpace = `hidden:${randomBytes(8).toString('hex')}`

const statOf = (pid: number): string => (pid === process.pid ? '/proc/self/stat' : `/proc/${pid}/stat`)

/** Whether `/proc` belongs to this process's pid namespace: then it shows one pid for the process, not one for each level. */
function ownProc(): boolean {
  const pids = /^NSpid:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
  return pids === undefined ? readlinkSync('/proc/self') === String(process.pid) : /^\d+$/.test(pids)
}

/**
 * Whether a process has ended, and has a pid only until its parent asks for its exit code. Its first thread may end
 * before one that writes.
 */
function hasEnded(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const fields = statFields(readFileSync(statOf(pid), 'latin1'))
    return /^[ZX]/.test(fields[stateField] ?? '') && Number(fields[threadsField]) <= 1
  } catch {
    // Some systems hide the processes of other users.
    return false
  }
}

/** Positions in the result of `statFields`: proc(5) counts them from 1, with the two fields before. */
const [stateField, threadsField, startTimeField] = [0, 17, 19]

/** The fields from the third on. The name in the second may contain spaces and brackets; later fields do not. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
