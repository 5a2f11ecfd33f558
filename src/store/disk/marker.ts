import type { Files } from '../../core/files.ts'
import { storeFault } from '../io-errors.ts'
import { continues, type FoundMark, type Mark, markText, parseMark, unfinished } from '../unfinished.ts'
import type { Paths } from './paths.ts'
import { replaceFile } from './snapshot.ts'

/** The mark of a folder, while this process holds the folder's lock. */
export interface Marker {
  readonly isSet: boolean
  /** Call it when the content is known to be whole: then `closed` removes the mark. */
  complete(): void
  set(): Promise<void>
  /** Call it when all data is on the disk. */
  closed(): Promise<void>
}

/**
 * Looks for the mark of an incomplete folder, and sets it in a folder without data.
 *
 * @param own  The work that fills the folder; null to open it for anything else.
 * @throws store_incomplete if the folder has a mark of other work.
 */
export async function openMarker(files: Files, paths: Paths, own: Mark | null): Promise<Marker> {
  const found = await readMark(files, paths)
  if (found && !(own && continues(found, own))) throw unfinished(`The data folder ${paths.folder}`, found)
  let isSet = found !== null
  let isWhole = false
  const set = async (): Promise<void> => {
    if (isSet || !own) return
    await replaceFile(files, paths.incomplete, [Buffer.from(markText(own))])
    isSet = true
  }
  if ((await files.size(paths.checkpoint)) === null) await set()
  return {
    get isSet() {
      return isSet
    },
    complete: () => void (isWhole = true),
    set,
    async closed() {
      if (!isWhole || !isSet) return
      try {
        await files.remove(paths.incomplete)
        await files.syncFolder(paths.folder)
      } catch (error) {
        throw storeFault(error, `Removing ${paths.incomplete}`)
      }
    },
  }
}

/** The mark of a folder; null if it has none. */
export async function readMark(files: Pick<Files, 'readAll'>, paths: Paths): Promise<FoundMark | null> {
  const bytes = await files.readAll(paths.incomplete)
  return bytes && parseMark(bytes.toString())
}
