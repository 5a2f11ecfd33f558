/**
 * `npm start -- <flags>`: the command `localpost`, from a fresh checkout too. It runs in this process, so that
 * signals and exit codes are the command's own (the script says `exec` for the same reason: npm hands a SIGTERM to
 * its shell, which would end without handing it on).
 */
import { ensureBuilt, ensureInstalled } from './prepare.mjs'

ensureInstalled()
ensureBuilt()
await import('../dist/cli/main.js')
