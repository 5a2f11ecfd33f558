/**
 * `node scripts/client-support.mjs <data.json> [target]`: writes src/client-support/data.json from the data of Can I email.
 *
 * Download the file from https://www.caniemail.com/api/data.json first.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [source, target = fileURLToPath(new URL('../src/client-support/data.json', import.meta.url))] =
  process.argv.slice(2)
if (source === undefined) {
  console.error('Usage: node scripts/client-support.mjs <data.json of caniemail.com/api>')
  process.exit(2)
}
writeFileSync(target, tablesOf(readFileSync(source, 'utf8')))
execFileSync('npx', ['oxfmt', target])

/** @param json  `{ last_update_date, nicenames: { family, platform }, data: [{ slug, title, category, stats }] }` */
function tablesOf(json) {
  // A JavaScript object would sort keys like "2019" before all others, but the versions must stay in the order of the file.
  const { last_update_date, nicenames, data } = JSON.parse(json.replace(/"(\d+)"\s*:/g, '"v$1":'))
  const features = data
    .filter(({ slug }) => slug !== '_template')
    .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
  // A client with two or three tested features has no meaningful score.
  const tested = count(
    features.flatMap(({ stats }) => statuses(stats)).filter(([, letter]) => letter !== 'u'),
  )
  const clients = [...tested].flatMap(([client, times]) => (times >= 50 ? [client] : [])).toSorted()
  const names = clients.map((client) => {
    const [family, platform] = client.split('/')
    return [client, `${nicenames.family[family] ?? family}, ${nicenames.platform[platform] ?? platform}`]
  })
  const rows = features.map(({ slug, title, category, stats }) => {
    const known = new Map(statuses(stats))
    const [prefix] = slug.split('-')
    if (category !== (/^(?:css|html|image)$/.test(prefix) ? prefix : 'others'))
      throw new Error(`${slug} has the category ${category}, which its name does not say.`)
    const support = clients.map((client) => known.get(client) ?? 'u').join('')
    return [slug, { title: title.trim(), support }]
  })
  const text = JSON.stringify(
    {
      about:
        'Facts of Can I email (https://www.caniemail.com). MIT licence, Copyright (c) 2019 Rémi Parmentier. Written by scripts/client-support.mjs: change that, not this file.',
      state: last_update_date.slice(0, 10),
      clients: Object.fromEntries(names),
      features: Object.fromEntries(rows),
    },
    null,
    2,
  )
  // A line for each feature.
  return text.replaceAll(/\{\n +("title": .*)\n +("support": .*)\n +\}/g, '{ $1 $2 }')
}

/** How many features each client was tested for. */
function count(answers) {
  const times = new Map()
  for (const [client] of answers) times.set(client, (times.get(client) ?? 0) + 1)
  return times
}

/** The status of the newest version of each client. */
function statuses(stats) {
  return Object.entries(stats).flatMap(([family, platforms]) =>
    Object.entries(platforms).map(([platform, versions]) => [
      `${family}/${platform}`,
      (Object.values(versions).at(-1) ?? 'u')[0],
    ]),
  )
}
