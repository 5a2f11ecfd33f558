import { isErrorOf } from '../../core/errors.ts'
import type { BlobName } from '../names.ts'
import { misuse } from '../io-errors.ts'
import type { Medium, TakenBlob } from '../medium.ts'
import type { Blob } from '../store.ts'
import { largeBlobBytes, type LargeDeps, SpooledFile, spoolBlob } from './large.ts'

/** Whether a blob of a commit still has to be written to a file of its own. */
export const needsFile = ({ spooled, size }: Blob): boolean => spooled === undefined && size > largeBlobBytes

/**
 * Takes a blob for a commit: a long one goes to a file of its own, a short one to the log with the commit.
 *
 * @param noteLarge  Called with each large file that a commit refers to, before the commit.
 * @param afterCut  Runs work once the frames whose outcome is unknown are cut off the log.
 */
export function takeBlob(
  larges: LargeDeps,
  blob: Blob,
  { owner, name }: BlobName,
  noteLarge: (large: string) => void,
  afterCut: (work: () => void) => void,
): ReturnType<Medium['take']> {
  const { size, spooled } = blob
  const taken = (content: TakenBlob['content']): TakenBlob => ({ owner, name, size, content })
  if (needsFile(blob)) {
    const spooling = spoolBlob(larges, blob)
    const writing = spooling.then(({ place }) => {
      noteLarge(place.large)
      return taken(place)
    })
    // The commit awaits this promise later, maybe after it was rejected: avoid an unhandled rejection until then.
    writing.catch(() => {})
    const discard = (): void => void spooling.then((spool) => spool.discard()).catch(() => {})
    return { writing, undo: (reason) => (isUnknown(reason) ? afterCut(discard) : discard()) }
  }
  if (spooled === undefined) return { taken: taken(blob.parts ?? []), undo() {} }
  if (!(spooled instanceof SpooledFile) || !spooled.take())
    throw misuse(`The blob ${blob.id} was not made by this store's createBlob, or is committed already.`)
  noteLarge(spooled.place.large)
  return {
    taken: taken(spooled.place),
    undo(reason) {
      if (!isUnknown(reason)) return spooled.letGo()
      afterCut(() => {
        spooled.letGo()
        void spooled.discard()
      })
    },
  }
}

/** After this error a stored frame may still refer to a large file, so that is discarded only once the frame is cut off. */
const isUnknown = (reason: unknown): boolean => isErrorOf(reason, 'store_unknown')
