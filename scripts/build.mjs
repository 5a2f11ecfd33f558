/** `npm run build`: builds dist; with --if-stale only where that changes anything. */
import { build, ensureBuilt } from './prepare.mjs'

if (process.argv.includes('--if-stale')) ensureBuilt()
else build()
