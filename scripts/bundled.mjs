/** Finds the packages whose code is in a build, and what these packages contain of others. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A package or a file by others that is in the build: name, version, licence (an SPDX expression) and the text of the licence.
 * `inside` names the package that contains it, if it is not installed itself. `isData` means that it is not a program.
 *
 * @typedef {{ name: string, version?: string, licence: string, text: string, inside?: string, isData?: boolean }} Bundled
 */

/**
 * @param moduleIds  The files whose code is in a build.
 * @param code  The JavaScript of the build.
 * @returns {Bundled[]}
 */
export function packagesOf(moduleIds, code) {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  const packages = [...new Set(folders)].map(packageAt)
  return packages.flatMap((one) => [one, ...contentsOf(one, code)])
}

function packageAt(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^(?:licen[cs]e|copying)/i.test(one))
  const text = file ? readFileSync(join(folder, file), 'utf8') : unpackedLicence(name, license)
  return { name, version, licence: license, text, folder }
}

/** The copyright of packages under the MIT licence whose archives lack the licence, from their repositories. */
const copyrights = { standardwebhooks: 'Copyright (c) 2023 Svix (https://www.svix.com)' }

function unpackedLicence(name, licence) {
  const copyright = copyrights[name]
  if (licence !== 'MIT' || !copyright)
    throw new Error(`${name} comes without its licence: find it for bundled.mjs`)
  return mitLicence(copyright)
}

/**
 * What packages contain of others, copied into their own files. It is in a build only if `mark` is. `version` is read from
 * a file of the package.
 */
const copies = [
  {
    // For older browsers.
    name: 'core-js',
    inside: 'pdfjs-dist',
    mark: 'core-js.io',
    version: ['legacy/build/pdf.worker.mjs', /version: '([\d.]+)',\s+mode: /],
    copyright: 'Denis Pushkarev, CoreJS Company (https://core-js.io)',
  },
  {
    name: 'punycode.js',
    inside: 'nodemailer',
    mark: 'Illegal input >= 0x80 (not a basic code point)',
    version: ['dist/esm/punycode/index.js', /version = '([\d.]+)'/],
    copyright: 'Mathias Bynens <https://mathiasbynens.be/>',
  },
  { name: 'jsbn', inside: 'node-forge', mark: 'function BigInteger(', copyright: '2003-2005 Tom Wu' },
  {
    name: 'base-x',
    inside: 'node-forge',
    mark: 'base-x contributors',
    copyright: '2016 base-x contributors',
  },
  {
    name: 'content-type',
    inside: '@modelcontextprotocol/server',
    mark: 'content-type header is missing from object',
    version: ['dist/src-DdvbAHrR.mjs', /content-type@([\d.]+)\//],
    copyright: '2015 Douglas Christopher Wilson',
  },
  {
    name: 'cookie-es',
    inside: 'h3',
    mark: 'argument name is invalid: ${cookie.name}',
    copyright: 'Pooya Parsa <pooya@pi0.io>',
  },
  {
    name: 'tldts-core',
    inside: 'tldts',
    mark: 'allowPrivateDomains',
    version: ['package.json', /"version": "([\d.]+)"/],
    copyright: '2017 Thomas Parisot, 2018 Rémi Berson',
  },
  {
    name: 'publicsuffix-list',
    inside: 'tldts',
    mark: 'allowPrivateDomains',
    licence: 'MPL-2.0',
    text: 'The list of https://publicsuffix.org is subject to the terms of the Mozilla Public License, v. 2.0: https://mozilla.org/MPL/2.0/',
    isData: true,
  },
]

function contentsOf({ name: holder, folder }, code) {
  return copies
    .filter(({ inside, mark }) => inside === holder && code.includes(mark))
    .map(({ name, inside, isData, licence = 'MIT', version: place, text, copyright }) => {
      const [file, form] = place ?? []
      const version = file && form.exec(readFileSync(join(folder, file), 'utf8'))?.[1]
      if (file && !version) throw new Error(`${holder}/${file} does not give the version of ${name} any more`)
      return {
        name,
        version,
        licence,
        text: text ?? mitLicence(`Copyright (c) ${copyright}`),
        inside,
        isData,
      }
    })
}

/** The tables in src/client-support/data.json. */
export function clientSupportTables() {
  const tables = readFileSync(new URL('../src/client-support/data.json', import.meta.url), 'utf8')
  const { state: version } = JSON.parse(tables)
  const text = mitLicence('Copyright (c) 2019 Rémi Parmentier')
  return { name: 'caniemail', version, licence: 'MIT', text, isData: true }
}

function mitLicence(copyright) {
  const own = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8')
  return own.replace(/^Copyright .*$/m, copyright)
}
