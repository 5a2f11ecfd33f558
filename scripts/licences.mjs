/** Writes the licences of the packages that dist contains. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file in dist. */
export const licencesFile = 'THIRD-PARTY-LICENSES.txt'

/** The files in which the build of the page lists what it and its workers contain; see ui/vite.config.ts. */
const pageLicences = 'licences.json'
const workerModules = 'worker-modules.json'

/**
 * @param out  The folder of the build.
 * @param moduleIds  The files whose code is in the JavaScript.
 */
export function writeLicences(out, moduleIds) {
  write(out, [...licencesOf(moduleIds), clientSupportEntry()])
}

function licencesOf(moduleIds) {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  return [...new Set(folders)].map(licenceOf)
}

/** Adds the packages in the page and its workers, and removes the lists of the page from the build. */
export function addPageLicences(out) {
  const take = (name) => {
    const path = join(out, 'ui', name)
    const content = JSON.parse(readFileSync(path, 'utf8'))
    rmSync(path)
    return content
  }
  const inWorkers = take(workerModules)
  const present = readFileSync(join(out, licencesFile), 'utf8').split(rule)
  write(out, [
    ...present,
    ...take(pageLicences).map(({ name, version, identifier, text }) =>
      entry(name, version, identifier, text),
    ),
    ...licencesOf(inWorkers),
    ...inWorkers.flatMap(coreJsEntry),
  ])
}

const rule = `\n${'-'.repeat(80)}\n\n`

function write(out, entries) {
  writeFileSync(join(out, licencesFile), [...new Set(entries)].toSorted().join(rule))
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^(?:licen[cs]e|copying)/i.test(one))
  return entry(name, version, license, file ? readFileSync(join(folder, file), 'utf8') : undefined)
}

function entry(name, version, licence, text = unpackedLicence(name, licence)) {
  return `${name} ${version} (${licence})\n\n${text.trim()}\n`
}

/** The copyright of packages under the MIT licence whose archives lack the licence, from their repositories. */
const copyrights = { standardwebhooks: 'Copyright (c) 2023 Svix (https://www.svix.com)' }

/** The notice of core-js, from the code. It is in pdfjs-dist for older browsers, but its archive is not installed. */
function coreJsEntry(path) {
  const code = path.includes('/pdfjs-dist/') ? readFileSync(path, 'utf8') : ''
  const [, version, copyright] =
    /version: '([\d.]+)',\s+mode: \S+ .*\s+copyright: '©? ?([^']+)'/.exec(code) ?? []
  return version ? [entry('core-js', version, 'MIT', mitLicence(`Copyright (c) ${copyright}`))] : []
}

/** The tables in src/client-support/data.ts. */
function clientSupportEntry() {
  const tables = readFileSync(new URL('../src/client-support/data.ts', import.meta.url), 'utf8')
  const [, date] = /state of (\S+)\./.exec(tables) ?? []
  return entry('caniemail', date, 'MIT', mitLicence('Copyright (c) 2019 Rémi Parmentier'))
}

function unpackedLicence(name, licence) {
  const copyright = copyrights[name]
  if (licence !== 'MIT' || !copyright)
    throw new Error(`${name} comes without its licence: find it for licences.mjs`)
  return mitLicence(copyright)
}

function mitLicence(copyright) {
  const own = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8')
  return own.replace(/^Copyright .*$/m, copyright)
}
