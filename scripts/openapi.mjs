/** Writes dist/openapi.json and dist/openapi-v1.json, which an instance serves at /dev and /v1. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { createLocalpost } = await import('../dist/index.js')
const post = await createLocalpost()
for (const [path, file] of [
  ['/dev/openapi.json', 'openapi.json'],
  ['/v1/openapi.json', 'openapi-v1.json'],
]) {
  const response = await post.fetch(new Request(`http://localhost${path}`))
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  const text = `${JSON.stringify(await response.json(), null, 2)}\n`
  writeFileSync(fileURLToPath(new URL(`../dist/${file}`, import.meta.url)), text)
}
await post.close()
