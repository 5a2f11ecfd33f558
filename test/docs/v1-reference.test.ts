import { expect, it } from 'vitest'
import { renderV1Reference } from '../../scripts/v1-reference.ts'
import { createLocalpost } from '../../src/instance/create.ts'

it('the reference of /v1 has every call; `npm run docs` writes it', async () => {
  await using post = await createLocalpost()
  const response = await post.fetch(new Request('http://localpost/dev/openapi.json'))
  const document = (await response.json()) as Parameters<typeof renderV1Reference>[0]
  const text = renderV1Reference(document)
  expect(text.match(/^## /gm)).toHaveLength(8)
  await expect(text).toMatchFileSnapshot('../../docs/v1.md')
})
