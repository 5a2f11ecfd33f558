import { describe, expect, it } from 'vitest'
import { clientSupport } from '../../src/client-support/client-support.ts'
import { clientNames, features as table } from '../../src/client-support/features.ts'
import { examples } from './_examples.ts'

async function featuresOf(html: string): Promise<string[]> {
  const { features } = clientSupport({ html, headers: [], attachments: [] })
  return features.map(({ slug }) => slug)
}

/** Found in the headers and the parts of a message; see their own tests. */
const notInHtml = ['amp', 'bimi']

describe('the features that a mail uses', () => {
  it('are those of the table, each with an example', () => {
    expect(table.size).toBeGreaterThan(300)
    const slugs = [...table.keys()].filter((slug) => !notInHtml.includes(slug))
    expect([...examples.keys()].toSorted()).toEqual(slugs.toSorted())
    expect([...table.values()].filter(({ support }) => support.length !== clientNames.length)).toEqual([])
  })

  it.each([...examples])('include %s where it is used', async (slug, { uses }) => {
    expect(await featuresOf(uses)).toContain(slug)
  })

  it.each([...examples])('do not include %s where something similar is used', async (slug, { near }) => {
    expect(await featuresOf(near)).not.toContain(slug)
  })
})
