/**
 * Calls a function at the first Ctrl+C or SIGTERM, so that a command can end cleanly. The second one ends the process.
 *
 * @returns A function that undoes it.
 */
export function onInterrupt(run: () => void): () => void {
  process.once('SIGINT', run).once('SIGTERM', run)
  return () => void process.off('SIGINT', run).off('SIGTERM', run)
}
