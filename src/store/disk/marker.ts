import { storeFault } from '../io-errors.ts'
import { continues, type FoundMark, type Mark, markText, parseMark, unfinishedError } from '../unfinished.ts'
import type { DataFolder, ReadableFolder } from './paths.ts'
import { replaceFile } from './replace-file.ts'

/** The mark of a folder, while this process holds the folder's lock. */
class Marker {
  readonly #folder: DataFolder
  readonly #work: Mark | null
  #isSet: boolean

  constructor(folder: DataFolder, work: Mark | null, isSet: boolean) {
    this.#folder = folder
    this.#work = work
    this.#isSet = isSet
  }

  get isSet(): boolean {
    return this.#isSet
  }

  async set(): Promise<void> {
    if (this.#isSet || !this.#work) return
    const { files, paths } = this.#folder
    await replaceFile(files, paths.incomplete, [Buffer.from(markText(this.#work))])
    this.#isSet = true
  }

  /** Call it when all data is on the disk, and known to be whole. */
  async remove(): Promise<void> {
    if (!this.#isSet) return
    const { files, paths } = this.#folder
    try {
      await files.remove(paths.incomplete)
      await files.syncFolder(paths.folder)
      this.#isSet = false
    } catch (error) {
      throw storeFault(error, `Removing ${paths.incomplete}`)
    }
  }
}

/** Reads the mark, and sets it in a new folder. @param work  The work that fills it, if any. @throws store_incomplete */
export async function openMarker(folder: DataFolder, work: Mark | null): Promise<Marker> {
  const { files, paths } = folder
  const found = await readMark(folder)
  if (found && !(work && continues(found, work)))
    throw unfinishedError(`The data folder ${paths.folder}`, found)
  const marker = new Marker(folder, work, found !== null)
  if ((await files.size(paths.checkpoint)) === null) await marker.set()
  return marker
}

export async function readMark({ files, paths }: ReadableFolder): Promise<FoundMark | null> {
  const bytes = await files.readAll(paths.incomplete)
  return bytes && parseMark(bytes.toString())
}
