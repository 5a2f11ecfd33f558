import { LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import type { Route } from '../../server/route.ts'
import { defineMailpitRoutes, ok, okSuccess } from './define-routes.ts'
import { quotedString } from '../../core/text.ts'
import { renameBody, tagsBody } from './requests.ts'
import { tagsSchema } from './schema.ts'

const { get, put, del } = defineMailpitRoutes('Tags')

/** `/api/v1/tags`. Tags are listed in lower case, and their case does not matter. */
export function tagRoutes(inbox: Inbox & Pick<InboxPages, 'bulk' | 'overview'>): Route[] {
  const isTag = async (name: string): Promise<boolean> =>
    (await inbox.overview()).tags.includes(name.toLowerCase())
  const assertTag = async (name: string): Promise<void> => {
    if (await isTag(name)) return
    throw new LocalpostError('validation_error', `tag not found: ${quote(name)}`)
  }

  return [
    get('/api/v1/tags', {
      summary: 'The tags of all messages',
      success: { schema: tagsSchema },
      handler: async () => [...(await inbox.overview()).tags],
    }),
    put('/api/v1/tags', {
      summary: 'Replace the tags of messages',
      body: { schema: tagsBody, anyType: true },
      success: okSuccess,
      errors: ['service_unavailable'],
      async handler({ body: { IDs = [], Tags = [] } }) {
        const tags = [...new Map(Tags.map((tag) => [tag.trim().toLowerCase(), tag.trim()])).values()]
        if (IDs.length > 0) await inbox.bulk.change({ ids: IDs }, { tags: tags.filter((tag) => tag !== '') })
        return ok
      },
    }),
    put('/api/v1/tags/{tag}', {
      summary: 'Rename a tag',
      body: { schema: renameBody, anyType: true },
      success: okSuccess,
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ params, body: { Name } }) {
        const { tag } = params
        await assertTag(tag)
        const isOther = Name.toLowerCase() !== tag.toLowerCase()
        if (isOther && (await isTag(Name)))
          throw new LocalpostError('validation_error', `tag already exists: ${quote(Name)}`)
        await inbox.bulk.change(`tag:${quotedString(tag)}`, { remove_tags: [tag], add_tags: [Name] })
        return ok
      },
    }),
    del('/api/v1/tags/{tag}', {
      summary: 'Remove a tag from all messages',
      success: okSuccess,
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ params }) {
        const { tag } = params
        await assertTag(tag)
        await inbox.bulk.change(`tag:${quotedString(tag)}`, { remove_tags: [tag] })
        return ok
      },
    }),
  ]
}
