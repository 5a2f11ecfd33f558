import { createRequire } from 'node:module'

export const version: string = readVersion()

function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json')
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isManifest ? String(manifest.version) : '0.0.0'
}
