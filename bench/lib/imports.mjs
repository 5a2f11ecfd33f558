/** How long Node takes for the packages alone that Localpost needs for its first greeting. */
import { runToEnd } from './processes.mjs'

/** As its own code imports them. They are inside the build, where nothing tells them apart. */
export const importedAtStart = [
  'h3',
  'nodemailer/lib/addressparser',
  'smtp-server',
  'smtp-server/lib/smtp-connection.js',
  'smtp-server/lib/smtp-stream.js',
  'zod',
]

/** @returns {Promise<number>} Milliseconds of `node -e` with nothing but these imports. */
export async function importMs(names, cwd) {
  const code = names.map((name) => `import ${JSON.stringify(name)}`).join('\n')
  return (await runToEnd(['--input-type=module', '-e', code], { cwd })).ms
}
