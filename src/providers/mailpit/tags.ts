import type { InboxPages } from '../../inbox/methods.ts'
import type { Route } from '../../server/route.ts'
import { defineMailpitRoutes, ok, okSuccess } from './define-routes.ts'
import { renameBody, tagsBody } from './requests.ts'
import { tagsSchema } from './schema.ts'
import { TagStore } from './tag-store.ts'

const { get, put, del } = defineMailpitRoutes('Tags')

/** `/api/v1/tags`. */
export function tagRoutes(inbox: Pick<InboxPages, 'bulk' | 'overview'>): Route[] {
  const tags = new TagStore(inbox)

  return [
    get('/api/v1/tags', {
      summary: 'The tags of all messages',
      success: { schema: tagsSchema },
      handler: () => tags.all(),
    }),
    put('/api/v1/tags', {
      summary: 'Replace the tags of messages',
      body: { schema: tagsBody, anyType: true },
      success: okSuccess,
      errors: ['service_unavailable'],
      async handler({ body: { IDs = [], Tags = [] } }) {
        await tags.replace(IDs, Tags)
        return ok
      },
    }),
    put('/api/v1/tags/{tag}', {
      summary: 'Rename a tag',
      body: { schema: renameBody, anyType: true },
      success: okSuccess,
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ params, body: { Name } }) {
        await tags.rename(params.tag, Name)
        return ok
      },
    }),
    del('/api/v1/tags/{tag}', {
      summary: 'Remove a tag from all messages',
      success: okSuccess,
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ params }) {
        await tags.remove(params.tag)
        return ok
      },
    }),
  ]
}
