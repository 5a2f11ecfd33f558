import { resolve } from 'node:path'
import { nodeFiles } from '../../core/files.ts'
import { takeLock } from '../lock/lock.ts'
import { createSchema } from '../disk/migrate.ts'
import { createPaths } from '../disk/paths.ts'
import { listSnapshot } from '../disk/snapshot-files.ts'
import { editedText } from '../disk/snapshot-text.ts'
import { replaceFile } from '../disk/snapshot.ts'

/**
 * Declares the files of records that do not fit their checksums to be edited by a person: takes the checksum out, so
 * that the next start reads them as they are. All of them are read before the first is changed.
 *
 * @returns The files, as `checkpoint.json` names them.
 * @throws store_in_use, store_corrupt for a file that is no JSON or not one of this store.
 */
export async function acceptEdits(dir: string): Promise<readonly string[]> {
  const paths = createPaths(resolve(dir))
  const schema = createSchema()
  const lock = await takeLock({
    files: nodeFiles,
    path: paths.lock,
    folder: paths.folder,
    onNotice() {},
  })
  try {
    const edited: { name: string; path: string; text: string }[] = []
    for (const { name, path } of await listSnapshot({ files: nodeFiles, paths })) {
      const text = editedText((await nodeFiles.readAll(path)) ?? Buffer.alloc(0), path, schema)
      if (text !== null) edited.push({ name, path, text })
    }
    for (const { path, text } of edited) await replaceFile(nodeFiles, path, [Buffer.from(text)])
    return edited.map(({ name }) => name)
  } finally {
    await lock.release()
  }
}
