import { dirname, join } from 'node:path'
import { codeOf, invalidOption, isErrorOf, LocalpostError } from '../../core/errors.ts'
import type { Files } from '../../core/files.ts'
import { corrupt } from '../io-errors.ts'
import { closedMark, guardOf, newLockForm } from '../lock/lock-file.ts'
import { readCheckpoint } from './checkpoint.ts'
import { assertPrivate } from './folder-owner.ts'
import { createPaths, numbersIn, type Paths, type ReadableFolder } from './paths.ts'
import { temporaryOf } from './replace-file.ts'
import { listSnapshot } from './snapshot-files.ts'

/**
 * Creates the data folder, or accepts one that is empty or contains Localpost's data. Does not change a folder with other files.
 *
 * @returns Whether the folder is new or empty.
 * @throws invalid_option when the path is a file, or a folder with other files, of other users, or of a build from
 *   before the first release; store_corrupt when checkpoint.json is missing; store_failed when it cannot be created.
 */
export async function claimFolder(files: Files, paths: Paths): Promise<boolean> {
  const { folder } = paths
  await assertPrivate(folder)
  try {
    await assertUsable(files, paths)
    return (await files.makeFolder(folder)) || (await files.list(folder)).length === 0
  } catch (error) {
    throw await explained(error, files, folder)
  }
}

async function assertUsable(files: Files, paths: Paths): Promise<void> {
  const deps = { files, paths }
  if ((await files.size(paths.checkpoint)) !== null) {
    // Before the lock is taken: builds from before the first release have another one. The start reports other errors.
    const error: unknown = await readCheckpoint(deps).catch((reason: unknown) => reason)
    if (isErrorOf(error, 'invalid_option')) throw error
    return
  }
  try {
    await assertNoData(deps)
  } catch (error) {
    // A subfolder that cannot be read is not Localpost's. The error below names it.
    if (codeOf(error) !== 'EACCES') throw error
  }
  const [first, ...others] = await foreignFilesIn(deps)
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const message = `The folder ${paths.folder} holds ${JSON.stringify(first)}${more}, and no data of Localpost. Choose an empty or a new folder; nothing was changed.`
  throw invalidOption(message)
}

/** Without checkpoint.json there must be no data, because the data would be ignored. @throws store_corrupt. */
export async function assertNoData(deps: ReadableFolder): Promise<void> {
  const [path] = await dataIn(deps)
  if (path === undefined) return
  const what = 'this file is there, but checkpoint.json is not, which says what it belongs to.'
  const fix = `Restore ${deps.paths.checkpoint} from a copy, or use another folder.`
  throw corrupt(path, what, fix)
}

/** The data files of a store: snapshot and log. */
export async function dataIn(deps: ReadableFolder): Promise<string[]> {
  const { files, paths } = deps
  const snapshot = await listSnapshot(deps)
  const logs = await numbersIn(files, paths.logs, '.log')
  return [...snapshot.map(({ path }) => path), ...logs.map(paths.log)]
}

/** The files that are not Localpost's. Hidden ones do not count, nor those that operating systems make. */
export async function foreignFilesIn({ files, paths }: ReadableFolder): Promise<string[]> {
  const names = (await files.list(paths.folder)).filter(isForeign)
  for (const folder of [paths.logs, paths.larges])
    for (const name of await files.list(folder)) names.push(join(folder, name).slice(paths.folder.length + 1))
  return names.sort()
}

const isForeign = (name: string): boolean =>
  !name.startsWith('.') && !ownNames.has(name) && !newLockForm.test(name)

const ownPaths = createPaths('')

/** What may be in a folder without data: such a folder can be used, and `doctor` does not call these files foreign. */
const ownNames = new Set([
  ownPaths.lock,
  guardOf(ownPaths.lock),
  closedMark(ownPaths.lock),
  ownPaths.reserve,
  ownPaths.logs,
  ownPaths.larges,
  // Rebuilt from the messages when it is missing.
  ownPaths.derived,
  // Made again when they are missing.
  'ca.pem',
  'smtp-tls.pem',
  temporaryOf(ownPaths.checkpoint),
  ownPaths.incomplete,
  temporaryOf(ownPaths.incomplete),
  'lost+found',
  'desktop.ini',
  'Thumbs.db',
])

/** Replaces a system error that does not explain why the folder cannot be used. */
async function explained(reason: unknown, files: Pick<Files, 'size'>, folder: string): Promise<unknown> {
  const code = codeOf(reason)
  const choose = 'Choose another path for the data folder.'
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    const isFile = (await files.size(folder).catch(() => null)) !== null
    const what = isFile ? 'is a file, not a folder' : 'cannot be made: a part of its path is no folder'
    return invalidOption(`${folder} ${what}. ${choose}`, reason)
  }
  if (code !== 'ENOENT') return reason
  const message = `The folder ${folder} cannot be made: no folder can be created in ${dirname(folder)}. ${choose}`
  return new LocalpostError('store_failed', message, { cause: reason })
}
