import { resolve } from 'node:path'
import { createPaths } from '../disk/paths.ts'
import type { Edits } from '../disk/snapshot-edits.ts'
import { listSnapshot } from '../disk/snapshot-files.ts'
import { replaceFile } from '../disk/replace-file.ts'
import { type FileToWrite, type LineToWrite, snapshotPieces } from '../disk/snapshot-pieces.ts'
import { parseEdited, type ParsedSnapshot, type SnapshotLine } from '../disk/snapshot-text.ts'
import { corrupt } from '../io-errors.ts'
import { takeLock } from '../lock/lock.ts'
import { isRecord } from '../../core/members.ts'
import { nodeFiles } from '../../core/node-files.ts'

/** A file whose edits were accepted. A record in `records` that was not edited is damaged. */
export interface AcceptedFile extends Edits {
  /** As `checkpoint.json` names it. */
  readonly file: string
}

/**
 * Accepts the files of records that do not match their checksums as edited by a person, and writes new checksums. All of
 * them are read before the first is changed.
 *
 * @throws store_in_use, store_corrupt for a file that is no JSON or not one of this store.
 */
export async function acceptEdits(dir: string): Promise<readonly AcceptedFile[]> {
  const paths = createPaths(resolve(dir))
  const lock = await takeLock({ files: nodeFiles, path: paths.lock, folder: paths.folder, onNotice() {} })
  try {
    const accepted: (AcceptedFile & { path: string; content: FileToWrite })[] = []
    for (const { name: file, path } of await listSnapshot({ files: nodeFiles, paths })) {
      const found = parseEdited((await nodeFiles.readAll(path)) ?? Buffer.alloc(0), path)
      if (found) accepted.push({ file, ...found.edited, path, content: identified(found, path) })
    }
    for (const { path, content } of accepted) await replaceFile(nodeFiles, path, snapshotPieces(content))
    return accepted.map(({ file, records, removed }) => ({ file, records, removed }))
  } finally {
    await lock.release()
  }
}

/** The content with the id and version of each record. Its keys are left out: the next start computes them. */
function identified({ seq, indexes, sections }: ParsedSnapshot, path: string): FileToWrite {
  const complete = [...sections].map(
    ([name, lines]) => [name, lines.map((line) => identifiedLine(line, path))] as const,
  )
  return { seq, indexes, sections: new Map(complete) }
}

function identifiedLine({ text, blobs, record }: SnapshotLine, path: string): LineToWrite {
  const { id, version } = isRecord(record) ? record : {}
  if (typeof id === 'string' && typeof version === 'number') return { text, blobs, id, version }
  const what = `the record ${JSON.stringify(id ?? null)} needs an \`id\` that is a text and a \`version\` that is a number.`
  throw corrupt(path, what, 'Correct it; nothing was accepted.')
}
