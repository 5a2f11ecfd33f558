import type { z } from 'zod'
import type { ListPage } from '../core/lists.ts'
import type { Answer } from './answer.ts'
import { deletedSchema, listSchema, toListAnswer } from './lists.ts'
import type { Route, RouteBody, RouteContext } from './route.ts'

// For the files of rows, which import nothing else of route.ts.
export { bodyLimits, type Route, type RouteContext } from './route.ts'

/** The parameters that a path names: `/a/{id}` has `{ id: string }`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & ParamsOf<Rest>
  : unknown

/** A row as it is written in `v1/` and `dev/`: the types of its handler follow from its path and schemas. */
type RouteRow<Path extends string, Query extends z.ZodType, Body extends z.ZodType, Result> = Omit<
  Route,
  'method' | 'path' | 'face' | 'tag' | 'access' | 'query' | 'body' | 'handler'
> & {
  /** Default: that of the chapter. */
  readonly access?: Route['access']
  readonly query?: Query
  readonly body?: Omit<RouteBody, 'schema'> & { readonly schema: Body }
  handler(context: RouteContext<ParamsOf<Path>, z.output<Query>, z.output<Body>>): Result
}

/** Makes a row: `get('/dev/rules', { summary, success, handler })`. */
type MakeRow = <
  const Path extends string,
  Query extends z.ZodType = z.ZodUnknown,
  Body extends z.ZodType = z.ZodUnknown,
>(
  path: Path,
  row: RouteRow<Path, Query, Body, Answer | Promise<unknown> | object>,
) => Route

/** Makes the rows of one chapter, by their methods. */
interface RowMakers extends Readonly<Record<'get' | 'post' | 'put' | 'patch' | 'del', MakeRow>> {
  /** A `GET` whose answer is a page of a list, as `{ <name>: [...], count, cursor }`. @param item  The schema of one item. */
  list<const Path extends string, Query extends z.ZodType>(
    path: Path,
    name: string,
    item: z.ZodType,
    row: Omit<RouteRow<Path, Query, z.ZodUnknown, ListPage<unknown> | Promise<ListPage<unknown>>>, 'success'>,
  ): Route
  /** A `DELETE` of one record. */
  remove<const Path extends string>(
    path: Path,
    row: Omit<RouteRow<Path, z.ZodUnknown, z.ZodUnknown, Promise<void>>, 'success'>,
  ): Route
}

/** @param common  What all rows of the chapter have in common. */
export function defineRoutes(common: Pick<Route, 'tag' | 'access' | 'errors' | 'face' | 'query'>): RowMakers {
  const make =
    (method: Route['method']): MakeRow =>
    (path, row) =>
      ({ ...common, ...row, method, path }) as unknown as Route
  const makers = {
    get: make('GET'),
    post: make('POST'),
    put: make('PUT'),
    patch: make('PATCH'),
    del: make('DELETE'),
  }
  return {
    ...makers,
    list: (path, name, item, row) =>
      makers.get(path, {
        ...row,
        success: { schema: listSchema(name, item) },
        errors: [...(row.errors ?? []), 'invalid_cursor'],
        handler: async (context) => toListAnswer(name, await row.handler(context)),
      }),
    remove: (path, row) =>
      makers.del(path, {
        ...row,
        success: { schema: deletedSchema },
        async handler(context) {
          await row.handler(context)
          return { deleted: 1 }
        },
      }),
  }
}
