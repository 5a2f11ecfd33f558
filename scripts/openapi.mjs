/** Writes dist/openapi.json, the document that an instance serves at /dev/openapi.json. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { createLocalpost } = await import('../dist/index.js')
const post = await createLocalpost()
const response = await post.fetch(new Request('http://localhost/dev/openapi.json'))
if (!response.ok) throw new Error(`/dev/openapi.json answered ${response.status}`)
const text = `${JSON.stringify(await response.json(), null, 2)}\n`
writeFileSync(fileURLToPath(new URL('../dist/openapi.json', import.meta.url)), text)
await post.close()
