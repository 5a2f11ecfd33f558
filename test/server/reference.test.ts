import { expect, it } from 'vitest'
import { renderControlReference } from '../../scripts/control-reference.ts'
import { createLocalpost } from '../../src/instance/create.ts'

it('the reference of the control API has every route; `npm run docs` writes it', async () => {
  await using post = await createLocalpost()
  const response = await post.fetch(new Request('http://localpost/dev/openapi.json'))
  const document = (await response.json()) as Parameters<typeof renderControlReference>[0]
  await expect(renderControlReference(document)).toMatchFileSnapshot('../../docs/control-api.md')
})
