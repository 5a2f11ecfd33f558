import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderProviderReference } from '../../scripts/provider-reference.ts'
import { providers } from '../../src/providers/providers.ts'

test.each(providers.map((provider) => [provider.face.name, provider] as const))(
  'the page of %s has its tables; `npm run docs` writes them',
  async (name, provider) => {
    const path = `../../docs/providers/${name}.md`
    const page = readFileSync(new URL(path, import.meta.url), 'utf8')
    await expect(renderProviderReference(provider, page)).toMatchFileSnapshot(path)
  },
)
