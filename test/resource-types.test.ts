import { describe, expect, it } from 'vitest'
import { renderResourceTypes } from '../scripts/resource-types.ts'

const files = await renderResourceTypes()

describe('the types of resources', () => {
  it.each([...files])('in %s match the schemas; `npm run types` writes them', async (path, text) => {
    await expect(text).toMatchFileSnapshot(`../${path}`)
  })
})
