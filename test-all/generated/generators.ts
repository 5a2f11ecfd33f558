import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { goProgram, mavenJar, npmWith, pythonWith } from '../tools.ts'
import { run } from '../run.ts'

/** A generator of clients, and how a program with its client is built and run. */
export interface Generator {
  name: string
  /** What must be on the PATH. */
  needs: readonly string[]
  /** Generates the client of `v1.json` in a folder that has a copy of `programs/<name>`. */
  generate(folder: string): Promise<unknown>
  /** Compiles the program with the client. */
  compile(folder: string): Promise<unknown>
  /** What runs it. */
  command(folder: string): Promise<readonly [string, ...string[]]>
}

const openApiGenerator = 'org.openapitools:openapi-generator-cli:7.25.0'
const typescript = ['typescript@5.9.3', '@types/node@20.19.43']
const compilerOptions = {
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  strict: true,
  exactOptionalPropertyTypes: false,
  skipLibCheck: true,
  types: ['node'],
}

async function generateWith(folder: string, language: string, to: string, properties = ''): Promise<void> {
  const jar = await mavenJar(openApiGenerator)
  const more = properties === '' ? [] : [`--additional-properties=${properties}`]
  // It has no types for what webhooks post: in Python and TypeScript, such an API does not compile.
  const apis = ['--global-property', 'models,supportingFiles,apis=Emails:Domains:Audiences']
  const args = ['-jar', jar, 'generate', '-i', 'v1.json', '-g', language, '-o', to, ...apis, ...more]
  await run('java', args, { cwd: folder })
}

const pythonClient = (): Promise<string> =>
  pythonWith('openapi-python-client', ['openapi-python-client==0.29.1', 'ruff==0.14.6'])
/** What `requirements.txt` of the generated client names. */
const openApiPython = (): Promise<string> =>
  pythonWith('openapi-generator', [
    'pydantic==2.12.5',
    'python-dateutil==2.9.0.post0',
    'typing-extensions==4.15.0',
    'urllib3==2.6.0',
  ])

const quietMaven = ['--quiet', '--batch-mode']

async function typescriptIn(folder: string, name: string, packages: readonly string[]): Promise<void> {
  const installed = await npmWith(name, [...typescript, ...packages])
  await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
}

const programOf = async (folder: string): Promise<[string, ...string[]]> => [join(folder, 'live')]
const goBuild = async (cwd: string): Promise<void> => {
  await run('go', ['mod', 'tidy'], { cwd, env: { GOFLAGS: '-mod=mod' } })
  await run('go', ['vet', './...'], { cwd })
  await run('go', ['build', '-o', 'live', '.'], { cwd })
}

/** The generators that are tested; each version is exact. */
export const generators: readonly Generator[] = [
  {
    name: 'openapi-fetch',
    needs: ['npm'],
    async generate(cwd) {
      await typescriptIn(cwd, this.name, ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'])
      await run('npx', ['openapi-typescript', 'v1.json', '--output', 'v1.d.ts'], { cwd })
    },
    compile: (cwd) => run('npx', ['tsc'], { cwd }),
    command: async () => ['node', 'live.js'],
  },
  {
    name: 'typescript-fetch',
    needs: ['npm', 'java', 'mvn'],
    async generate(cwd) {
      await typescriptIn(cwd, this.name, ['esbuild@0.27.0'])
      await generateWith(cwd, 'typescript-fetch', 'client')
    },
    async compile(cwd) {
      await run('npx', ['tsc', '--noEmit'], { cwd })
      const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=live.js']
      await run('npx', ['esbuild', 'live.ts', ...bundle], { cwd })
    },
    command: async () => ['node', 'live.js'],
  },
  {
    name: 'openapi-python-client',
    needs: ['python3'],
    async generate(cwd) {
      const bin = await pythonClient()
      // It formats what it generates with ruff, which it looks for on the PATH.
      const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }
      const out = ['--path', 'v1.json', '--meta', 'none', '--output-path', 'localpost_client']
      await run('openapi-python-client', ['generate', '--fail-on-warning', ...out], { cwd, env })
    },
    async compile(cwd) {
      await run(join(await pythonClient(), 'python'), ['-m', 'compileall', '-q', '.'], { cwd })
    },
    command: async () => [join(await pythonClient(), 'python'), 'live.py'],
  },
  {
    name: 'python',
    needs: ['python3', 'java', 'mvn'],
    generate: (cwd) => generateWith(cwd, 'python', '.'),
    async compile(cwd) {
      await run(join(await openApiPython(), 'python'), ['-m', 'compileall', '-q', '.'], { cwd })
    },
    command: async () => [join(await openApiPython(), 'python'), 'live.py'],
  },
  {
    name: 'java',
    needs: ['java', 'javac', 'mvn'],
    async generate(cwd) {
      await generateWith(cwd, 'java', 'client', 'hideGenerationTimestamp=true')
      await cp(join(cwd, 'client/src/main/java/org'), join(cwd, 'src/main/java/org'), { recursive: true })
    },
    compile: (cwd) => run('mvn', [...quietMaven, 'compile'], { cwd }),
    command: async () => ['mvn', ...quietMaven, 'exec:java', '-Dexec.mainClass=Live'],
  },
  {
    name: 'go',
    needs: ['go', 'java', 'mvn'],
    // Without the first, its client tries each variant of a union, and takes the first event for ambiguous.
    generate: (cwd) =>
      generateWith(
        cwd,
        'go',
        'localpost',
        'useOneOfDiscriminatorLookup=true,withGoMod=false,packageName=localpost',
      ),
    async compile(cwd) {
      // Tests of the client, which need packages of their own.
      await rm(join(cwd, 'localpost/test'), { recursive: true, force: true })
      await goBuild(cwd)
    },
    command: programOf,
  },
  {
    name: 'oapi-codegen',
    needs: ['go'],
    async generate(cwd) {
      const program = await goProgram('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2')
      await mkdir(join(cwd, 'localpost'))
      await run(program, ['-config', 'config.yaml', 'v1.json'], { cwd })
    },
    compile: goBuild,
    command: programOf,
  },
  {
    name: 'ogen',
    needs: ['go'],
    async generate(cwd) {
      const program = await goProgram('github.com/ogen-go/ogen/cmd/ogen@v1.24.0')
      await run(program, ['--target', 'localpost', '--package', 'localpost', 'v1.json'], { cwd })
    },
    compile: goBuild,
    command: programOf,
  },
]
