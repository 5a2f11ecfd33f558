/** `node scripts/build-library.mjs <folder> [--no-types]`: the package without the page, as JavaScript and types. */
import { bundle } from './bundle.mjs'
import { writeDeclarations } from './declarations.mjs'

const [out, noTypes] = process.argv.slice(2)
await bundle(out)
if (noTypes === undefined) writeDeclarations(out)
