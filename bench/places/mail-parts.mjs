/** Small places for the row `smtp 2 KB`. Each call does what one captured mail needs, or a given number of them. */
import { load, replaced } from './versions.mjs'

/** @type {Record<string, import('../places.mjs').Place>} */
export const mailPartPlaces = {
  // src/mime/headers/addresses.ts: simple addresses of a header.
  'header addresses': calls(
    'mime/headers/addresses.ts',
    {
      'mime/headers/addresses.ts': (code) =>
        replaced(
          code,
          'const simple = simpleAddress.exec(text)',
          'const simple = null as RegExpExecArray | null',
        ),
    },
    ({ parseAddresses }) =>
      () => {
        parseAddresses('Sender 7 <sender7@acme.test>')
        parseAddresses('Ada Lovelace <ada7@example.com>')
      },
  ),
  // src/core/ids.ts: random bytes for many ids are asked for at once.
  'random bytes of ids': calls(
    'core/ids.ts',
    {
      'core/ids.ts': (code) =>
        replaced(code, 'const poolBytes = 128 * tailLength', 'const poolBytes = tailLength'),
    },
    twoIds,
  ),
}

/** Two ids, as one captured mail takes. */
function twoIds({ createIds }) {
  const ids = createIds({ now: Date.now })
  return () => {
    ids.next('em')
    ids.next('em')
  }
}

/** @param make  Makes the measured function from a loaded module. */
function calls(paths, changes, make, { count = 10_000, mails = 1 } = {}) {
  return {
    count,
    mails,
    versions: async () => ({
      kept: await make(await load(paths)),
      plain: await make(await load(paths, changes)),
    }),
  }
}
