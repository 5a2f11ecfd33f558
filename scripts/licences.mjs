/** Writes the licences of the packages that dist contains. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file in dist. */
export const licencesFile = 'THIRD-PARTY-LICENSES.txt'

/** Where the build of the page says what it contains; vite writes it. */
export const pageLicences = 'licences.json'

/**
 * @param out  The folder of the build, with the page in it; the page's own list goes.
 * @param moduleIds  The files of which something is in the JavaScript.
 */
export function writeLicences(out, moduleIds) {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  write(out, [...[...new Set(folders)].map(licenceOf), clientSupportEntry()])
}

/** Adds the packages in the page. */
export function addPageLicences(out) {
  const path = join(out, 'ui', pageLicences)
  const page = JSON.parse(readFileSync(path, 'utf8'))
  rmSync(path)
  const present = readFileSync(join(out, licencesFile), 'utf8').split(rule)
  write(out, [
    ...present,
    ...page.map(({ name, version, identifier, text }) => entry(name, version, identifier, text)),
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

/** Packages under the MIT licence whose archive does not hold it: their copyright, from their repository. */
const copyrights = { standardwebhooks: 'Copyright (c) 2023 Svix (https://www.svix.com)' }

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
