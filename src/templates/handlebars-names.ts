import type { Literal, Path } from 'handlebars/dist/cjs/handlebars/compiler/base.js'

/** A value that a block has, with those of the blocks around it. */
export interface Nested<T> {
  readonly value: T
  readonly outer: Nested<T> | null
}

/** The names that the blocks around a place give to values; null without any. */
export type BlockNames = Nested<{ has(name: string): boolean }> | null

/** The name of the helper that a call may mean; null if it can only be a path. */
export function helperName(path: Path | Literal, names: BlockNames): string | null {
  const [name = '', ...others] = partsOf(path)
  const isSimple =
    others.length === 0 &&
    (path.type !== 'PathExpression' || (path.depth === 0 && !path.data && !isScoped(path)))
  if (!isSimple || name === '') return null
  for (let block = names; block; block = block.outer) if (block.value.has(name)) return null
  return name
}

/**
 * Whether a path begins with `.` or contains `this`, and so never means a helper or a name of a block. The same pattern as
 * `AST.helpers.scopedId` of Handlebars, where `this` is not anchored to the beginning either.
 */
export const isScoped = ({ original }: Path): boolean => /^\.|this\b/.test(original)

/** The names of a path. A literal in its place is a name: `{{"first name"}}`. */
export function partsOf(path: Path | Literal): readonly string[] {
  return path.type === 'PathExpression' ? path.parts : [written(path)]
}

/** A path as it is in the template. */
export function written(path: Path | Literal): string {
  if (path.original !== undefined) return String(path.original)
  return path.type === 'NullLiteral' ? 'null' : 'undefined'
}
