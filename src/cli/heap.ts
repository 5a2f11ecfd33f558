import { setFlagsFromString } from 'node:v8'

/**
 * Has the collector look when the heap has grown by a fifth: left alone it waits, after a flood, for the double of what
 * is held. It looks beside the work, in steps of a few milliseconds at the most.
 */
export function keepHeapSmall(): void {
  // Where V8 does not know a flag, it says so on stderr; these are the versions that are known to have it.
  if (Number.parseInt(process.versions.v8, 10) <= 14) setFlagsFromString('--heap-growing-percent=20')
}
