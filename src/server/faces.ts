import type { Face } from './face.ts'

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

/** Makes the function that finds the face of a path by the longest of their beginnings. */
export function createFindFace(faces: readonly Face[]): FindFace {
  const all = faces.flatMap((face) => prefixesOf(face).map((prefix) => [prefix, face] as const))
  if (all.length === 0) return () => null
  const byPrefix = new Map<string, Face>(all)
  const deep = all
    .filter(([prefix]) => prefix.includes('/', 1))
    .map(([prefix, face]) => [`${prefix}/`, face] as const)
  return (pathname) => {
    const end = pathname.indexOf('/', 1)
    const first = byPrefix.get(end === -1 ? pathname : pathname.slice(0, end))
    if (!first) return null
    return deep.find(([prefix]) => pathname.startsWith(prefix))?.[1] ?? first
  }
}
