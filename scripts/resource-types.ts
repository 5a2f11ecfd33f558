import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format, type FormatConfig } from 'oxfmt'
import { z } from 'zod'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const src = join(root, 'src')

/** The type of a schema, as its declaration states: `export const emailSchema: z.ZodType<Email>`. */
interface Named {
  name: string
  /** The file of the type, next to the schema: `types.ts` and `*-types.ts` are generated, any other file is only imported from. */
  from: string
  /** The docstring of the schema, which becomes the type's. */
  comment: string
  schema: z.ZodType
  /** The folder of the schema, below `src`. */
  folder: string
}

/**
 * Writes the TypeScript types of the resources from their schemas: those of `src/<folder>/schema.ts` and
 * `src/<folder>/*-schema.ts` go to the `types.ts` or `*-types.ts` that they import them from. Descriptions of members become
 * their docstrings.
 *
 * @returns The text of each file, by its path below the repository.
 * @throws Error for a kind of schema that has no counterpart here yet.
 */
export async function renderResourceTypes(): Promise<Map<string, string>> {
  const named: Named[] = []
  // One after the other: schemas are compared by identity, so no module may be loaded twice.
  for (const file of schemaFiles()) named.push(...(await readNamed(file)))
  const byFile = byFileOf(named.filter(({ from }) => written.test(from)))
  const options = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8')) as FormatConfig
  const files = new Map<string, string>()
  for (const [file, types] of byFile) {
    const path = join('src', file)
    const { code, errors } = await format(path, renderFile(file, types, named), options)
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`)
    files.set(path, code)
  }
  return files
}

function schemaFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[\w-]+\/(?:[\w-]+-)?schema\.ts$/.test(file))
    .sort()
}

const declaration = /(\/\*\*(?:(?!\*\/)[^])*\*\/)\s*export const (\w+): z\.ZodType<\s*(\w+)\s*> =/g

async function readNamed(file: string): Promise<Named[]> {
  const source = readFileSync(join(src, file), 'utf8')
  const fromOf = importedNames(source)
  const schemas = (await import(pathToFileURL(join(src, file)).href)) as Record<string, z.ZodType>
  return [...source.matchAll(declaration)].flatMap(([, comment = '', variable = '', name = '']) => {
    const schema = schemas[variable]
    const from = fromOf.get(name)
    return schema && from ? [{ name, from, comment, schema, folder: dirname(file) }] : []
  })
}

/** The names that a file imports from its own folder, with the file of each. */
function importedNames(source: string): Map<string, string> {
  const imports = source.matchAll(/import (?:type )?\{([^}]*)\} from '\.\/([\w-]+\.ts)'/g)
  return new Map(
    [...imports].flatMap(([, names = '', from = '']) =>
      names.split(',').map((name) => [name.trim().replace(/^type /, ''), from] as const),
    ),
  )
}

/** The names of files of types. */
const written = /^(?:[\w-]+-)?types\.ts$/

const heading = '// Written by `npm run types` from the schemas of this folder. Change those, not this file.'

function renderFile(file: string, types: readonly Named[], all: readonly Named[]): string {
  const used = new Set<Named>()
  const texts = new Map<string, string>()
  for (const { name, comment, schema } of types) {
    // Of several schemas for one type, such as a strict one, the first writes it; the compiler checks the others.
    if (texts.has(name)) continue
    const nameOf = (inner: z.core.$ZodType): string | null => {
      // If two schemas have the same type, either of them may represent it.
      const found = all.find((one) => isSame(inner, one.schema))
      if (!found || inner === schema) return null
      used.add(found)
      return found.name
    }
    const baseOf = (shape: Shape): Named | null => {
      const base = types.filter((one) => isBase(one, shape)).toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]
      return base ?? null
    }
    const { def } = (schema as z.core.$ZodType as z.core.$ZodTypes)._zod
    const isObject = def.type === 'object'
    const base = isObject ? baseOf(def.shape) : null
    const extended = base ? `extends ${base.name} ` : ''
    const text = isObject
      ? membersOf(def.shape, base, { nameOf, baseOf })
      : typeOf(schema, { nameOf, baseOf })
    const head = isObject ? `export interface ${name} ${extended}` : `export type ${name} = `
    texts.set(name, `${comment}\n${head}${text}`)
  }
  return [heading, ...importsOf(file, used), ...texts.values()].join('\n\n')
}

const fileOf = ({ folder, from }: Named): string => join(folder, from)

function byFileOf(types: readonly Named[]): Map<string, Named[]> {
  const files = new Map<string, Named[]>()
  for (const type of types) files.set(fileOf(type), [...(files.get(fileOf(type)) ?? []), type])
  return files
}

/** Descriptions and checks create a new schema, which refers to the original one. */
function isSame(schema: z.core.$ZodType, named: z.core.$ZodType): boolean {
  for (let one: z.core.$ZodType | undefined = schema; one; one = one._zod.parent)
    if (one === named) return true
  return false
}

function importsOf(file: string, used: ReadonlySet<Named>): string[] {
  const files = new Map<string, Set<string>>()
  const folder = dirname(file)
  for (const one of used) {
    if (fileOf(one) === file) continue
    const path = one.folder === folder ? `./${one.from}` : `${relative(folder, one.folder)}/${one.from}`
    files.set(path, (files.get(path) ?? new Set()).add(one.name))
  }
  return [...files].sort().map(([path, names]) => {
    return `import type { ${[...names].sort().join(', ')} } from '${path}'`
  })
}

type Shape = Readonly<Record<string, z.core.$ZodType>>

/** How types refer to others. */
interface Scope {
  /** The name of a schema that has a type of its own. */
  nameOf(schema: z.core.$ZodType): string | null
  /** The largest type of the file that has only members of this object, and not all of them. */
  baseOf(shape: Shape): Named | null
}

function shapeOf({ schema }: Named): Shape {
  const { def } = (schema as z.core.$ZodType as z.core.$ZodTypes)._zod
  return def.type === 'object' ? def.shape : {}
}

const sizeOf = (named: Named): number => Object.keys(shapeOf(named)).length

function isBase(named: Named, shape: Shape): boolean {
  const members = Object.entries(shapeOf(named))
  const isPart = members.length > 1 && members.length < Object.keys(shape).length
  return isPart && members.every(([name, schema]) => shape[name] === schema)
}

function typeOf(schema: z.core.$ZodType, scope: Scope): string {
  const name = scope.nameOf(schema)
  if (name !== null) return name
  const { def } = (schema as z.core.$ZodTypes)._zod
  const inner = (one: z.core.$ZodType): string => typeOf(one, scope)
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'never':
    case 'null':
    case 'unknown':
      return def.type
    case 'enum':
      return Object.values(def.entries).map(literal).join(' | ')
    case 'literal':
      return def.values.map(literal).join(' | ')
    case 'union':
      return [...new Set(def.options.map(inner))].join(' | ')
    case 'nullable':
      return `${inner(def.innerType)} | null`
    case 'optional':
      return inner(def.innerType)
    // A check before a schema (`z.preprocess`).
    case 'pipe':
      return inner(def.out)
    case 'array':
      return `(${inner(def.element)})[]`
    case 'tuple':
      return `[${def.items.map(inner).join(', ')}]`
    case 'record': {
      const record = `Record<${inner(def.keyType)}, ${inner(def.valueType)}>`
      return def.partial ? `Partial<${record}>` : record
    }
    case 'object': {
      const base = scope.baseOf(def.shape)
      return `${base ? `${base.name} & ` : ''}${membersOf(def.shape, base, scope)}`
    }
    default:
      throw new Error(`scripts/resource-types.ts does not know schemas of the kind ${def.type} yet`)
  }
}

/** The members of an object that its base does not have. */
function membersOf(shape: Shape, base: Named | null, scope: Scope): string {
  const inherited = base ? shapeOf(base) : {}
  const members = Object.entries(shape).flatMap(([name, schema]) => {
    if (name in inherited) return []
    const description = descriptionOf(schema)
    const mark = schema._zod.optout === 'optional' ? '?' : ''
    return `${description === null ? '' : commentOf(description)}${isName.test(name) ? name : literal(name)}${mark}: ${typeOf(schema, scope)}`
  })
  return `{\n${members.join('\n')}\n}`
}

const isName = /^[A-Za-z_$][\w$]*$/

/** The description of a member, which may be that of the schema inside `optional` or `nullable`. */
function descriptionOf(schema: z.core.$ZodType): string | null {
  const { description } = z.globalRegistry.get(schema) ?? {}
  if (description !== undefined) return description
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'optional' || def.type === 'nullable' ? descriptionOf(def.innerType) : null
}

const lineLength = 100

function commentOf(description: string): string {
  const text = /[.!?]$/.test(description) ? description : `${description}.`
  const lines = ['']
  for (const word of text.replaceAll('*/', '*\\/').split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < lineLength) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.length === 1 ? `/** ${text} */\n` : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`
}

function literal(value: unknown): string {
  return value === null ? 'null' : JSON.stringify(value)
}
