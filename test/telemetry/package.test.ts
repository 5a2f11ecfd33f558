import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

const root = resolve(import.meta.dirname, '../..')

/** A project that has the built package, and these others. */
function makeProject(packages: readonly string[]): string {
  const dir = temporaryFolder()
  const modules = join(dir, 'node_modules')
  mkdirSync(join(modules, 'localpost'), { recursive: true })
  cpSync(join(root, 'dist'), join(modules, 'localpost/dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(modules, 'localpost/package.json'))
  mkdirSync(join(modules, '@opentelemetry'))
  for (const name of packages) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  return dir
}

/** Sends a mail with a header, with spans where the SDK is there. @returns The id of its trace, and the names of spans. */
async function send(dir: string, file: string, load: string): Promise<unknown> {
  const source = `${load}
async function main() {
  const { createLocalpost } = await localpost()
  const sdk = await telemetry()
  const exporter = sdk && new sdk.base.InMemorySpanExporter()
  if (sdk) sdk.api.trace.setGlobalTracerProvider(new sdk.base.BasicTracerProvider({ spanProcessors: [new sdk.base.SimpleSpanProcessor(exporter)] }))
  const post = await createLocalpost({ waitTimeoutMs: 50_000 })
  const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
  await post.sending.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hi', headers })
  const { trace_id } = await post.inbox.waitFor('status:delivered')
  await post.close()
  console.log(JSON.stringify({ trace_id, spans: exporter ? exporter.getFinishedSpans().map(({ name }) => name) : null }))
}
main()`
  writeFileSync(join(dir, file), source)
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: dir, timeout: 60_000 })
  return JSON.parse(stdout)
}

const ways = {
  'app.mjs': `const localpost = () => import('localpost')
const telemetry = async () => { try { return { api: await import('@opentelemetry/api'), base: await import('@opentelemetry/sdk-trace-base') } } catch { return null } }`,
  'app.cjs': `const localpost = async () => require('localpost')
const telemetry = async () => { try { return { api: require('@opentelemetry/api'), base: require('@opentelemetry/sdk-trace-base') } } catch { return null } }`,
}
const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'

test.each(Object.entries(ways))('the package works without OpenTelemetry: %s', async (file, load) => {
  expect(await send(makeProject([]), file, load)).toEqual({ trace_id, spans: null })
})

test.each(Object.entries(ways))(
  'the package takes the OpenTelemetry of the project: %s',
  async (file, load) => {
    const dir = makeProject(['@opentelemetry/api', '@opentelemetry/sdk-trace-base'])
    expect(await send(dir, file, load)).toEqual({
      trace_id,
      spans: ['email accept', 'email compose', 'email deliver'],
    })
  },
)
