import { once } from '../core/once.ts'
import type { Face } from './face.ts'
import type { H3Event } from 'h3'
import type { Route } from './route.ts'

/** Finds the face that a path belongs to; null for the paths of Localpost itself. */
export type FindFace = (pathname: string) => Face | null

/** The faces of a table of routes. */
export function facesOf(routes: readonly { readonly face?: Face }[]): Face[] {
  return [...new Set(routes.flatMap(({ face }) => face ?? []))]
}

/** All beginnings of the paths of a face. */
export function prefixesOf({ prefix, otherPrefixes = [] }: Face): readonly string[] {
  return [prefix, ...otherPrefixes]
}

/**
 * Makes the function that finds the face of a path by the longest of their beginnings. A beginning of several segments
 * counts only with something behind it: `/api/v1/messages` itself belongs to the face of `/api`.
 */
export function createFindFace(faces: readonly Face[]): FindFace {
  const longestFirst = faces
    .flatMap((face) => prefixesOf(face).map((prefix) => ({ prefix, face })))
    .sort((one, other) => other.prefix.length - one.prefix.length)
  return (pathname) => {
    const found = longestFirst.find(
      ({ prefix }) => pathname.startsWith(`${prefix}/`) || (pathname === prefix && !prefix.includes('/', 1)),
    )
    return found?.face ?? null
  }
}

/** The APIs of providers, whose routes and schemas are loaded when they are first requested. */
export interface LaterFaces {
  readonly all: readonly Face[]
  /** Loads the rows of some of them, with the account of this interface behind them. */
  load(faces: readonly Face[]): Promise<readonly Route[]>
}

/**
 * Makes the hook that runs before the route of a request is found: it loads the routes of a face at the first request for
 * one of its paths. Faces with the same first segment are loaded together, since a path may have methods of several.
 *
 * @param isOwn  Whether this account answers a request to the path of a face. Nothing is loaded for others.
 * @param add  Called with the rows, once for each face.
 */
export function createLoading(
  { all, load }: LaterFaces,
  faceOf: FindFace,
  isOwn: (event: H3Event, face: Face) => boolean,
  add: (routes: readonly Route[]) => void,
): (event: H3Event) => Promise<void> | undefined {
  const loaded = new Set<string>()
  const loadAt = async (segment: string): Promise<void> => {
    add(await load(all.filter((face) => firstSegmentOf(face) === segment)))
    loaded.add(segment)
  }
  const loads = new Map(all.map(firstSegmentOf).map((segment) => [segment, once(() => loadAt(segment))]))

  return (event) => {
    const face = faceOf(event.url.pathname)
    const segment = face ? firstSegmentOf(face) : ''
    if (!face || loaded.has(segment) || !isOwn(event, face)) return undefined
    return loads
      .get(segment)?.()
      .catch((error: unknown) => {
        // h3 does not answer errors of this hook: `assertLoaded` throws it where `respond` can.
        event.context[failure] = error
      })
  }
}

/** @throws what kept the routes of this request from being loaded. */
export function assertLoaded({ context }: Pick<H3Event, 'context'>): void {
  if (failure in context) throw context[failure]
}

function firstSegmentOf({ prefix }: Face): string {
  return prefix.split('/', 2)[1] ?? ''
}

const failure = 'localpost.load'
