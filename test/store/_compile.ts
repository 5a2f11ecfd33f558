import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { tempFolder } from './_setup.ts'

const root = resolve(import.meta.dirname, '../..')

/**
 * Compiles the store next to a script, since Node 20 does not run TypeScript.
 *
 * @param script  JavaScript that imports `./store/disk/open.js` and its neighbours.
 * @returns The script's path.
 */
export async function compileStore(script: string): Promise<string> {
  const out = await tempFolder()
  const store = join(root, 'src/store')
  const files = new Set(
    (await readdir(store, { recursive: true }))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(store, name)),
  )
  for (const file of files) {
    const source = await readFile(file, 'utf8')
    // Imported files are compiled too, however the store is split into files.
    for (const { fileName } of ts.preProcessFile(source).importedFiles) {
      if (fileName.startsWith('.')) files.add(resolve(dirname(file), fileName))
    }
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    })
    const path = join(out, relative(join(root, 'src'), file).replace(/\.ts$/, '.js'))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, outputText)
  }
  await writeFile(join(out, 'package.json'), '{"type":"module"}')
  await symlink(join(root, 'node_modules'), join(out, 'node_modules'))
  const path = join(out, 'child.js')
  await writeFile(path, script)
  return path
}
