/** Writes what dist contains of others: the licences, and a bill of materials (SBOM) in the format CycloneDX. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientSupportTables, packagesOf } from './bundled.mjs'

/** The files in dist. */
const licencesFile = 'THIRD-PARTY-LICENSES.txt'
const sbomFile = 'sbom.cdx.json'

/** The lists of what the builds contain. They are removed when the notices are written. */
const libraryModules = 'library-modules.json'
const moduleLists = [libraryModules, 'ui/page-modules.json', 'ui/worker-modules.json']

/** @param moduleIds  The files whose code is in the JavaScript of the library. */
export function listLibraryModules(out, moduleIds) {
  writeFileSync(join(out, libraryModules), JSON.stringify([...new Set(moduleIds)]))
}

/** @param out  The folder of the build, of library and page. */
export function writeNotices(out) {
  const moduleIds = moduleLists.flatMap((name) => {
    const path = join(out, name)
    const ids = JSON.parse(readFileSync(path, 'utf8'))
    rmSync(path)
    return ids
  })
  const all = [...packagesOf(moduleIds, codeOf(out)), clientSupportTables()]
  const components = all.toSorted((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1))
  const rule = `\n${'-'.repeat(80)}\n\n`
  const licences = components.map((one) => `${titleOf(one)}\n\n${one.text.trim()}\n`)
  writeFileSync(join(out, licencesFile), licences.join(rule))
  writeFileSync(join(out, sbomFile), `${JSON.stringify(sbomOf(components), null, 2)}\n`)
}

function codeOf(out) {
  const names = readdirSync(out, { recursive: true }).filter((name) => /\.c?js$/.test(name))
  return names.map((name) => readFileSync(join(out, name), 'utf8')).join('\n')
}

function titleOf({ name, version, licence }) {
  return `${[name, version].filter(Boolean).join(' ')} (${licence})`
}

/** The same bytes for the same content: no time, and no serial number. */
function sbomOf(components) {
  const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const root = entryOf({ name: own.name, version: own.version, licence: own.license })
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: root },
    components: components
      .filter(({ inside }) => !inside)
      .map((one) => {
        const contents = components.filter(({ inside }) => inside === one.name)
        return {
          ...entryOf(one),
          ...(contents.length > 0 ? { components: contents.map((content) => entryOf(content)) } : {}),
        }
      }),
    // Nothing else is in the package.
    compositions: [{ aggregate: 'complete', assemblies: [root['bom-ref']] }],
  }
}

function entryOf({ name, version, licence, inside, isData }) {
  const [, group, short] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name)
  const purl = `pkg:npm/${group ? `${encodeURIComponent(group)}/` : ''}${short}${version ? `@${version}` : ''}`
  const licences = /\s/.test(licence)
    ? [{ expression: licence.replace(/^\((.*)\)$/, '$1') }]
    : [{ license: { id: licence } }]
  return {
    type: isData ? 'data' : 'library',
    'bom-ref': [inside, group ? `${group}/${short}` : short, version].filter(Boolean).join(' '),
    ...(group ? { group } : {}),
    name: short,
    ...(version ? { version } : {}),
    licenses: licences,
    ...(isData ? {} : { purl }),
  }
}
