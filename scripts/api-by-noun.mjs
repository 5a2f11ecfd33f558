/**
 * A plugin of TypeDoc: splits the page of the package's main entry into a page for each heading of `src/index.ts`, whose
 * comments (`// Emails`) say which exports belong together.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Renderer } from 'typedoc'

export function load(app) {
  app.renderer.on(Renderer.EVENT_END, ({ outputDirectory }) => splitByNoun(outputDirectory))
}

function splitByNoun(out) {
  const index = join(out, 'index.md')
  const titles = titlesByExport(readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8'))
  const parts = partsOf(readFileSync(index, 'utf8'))
  const others = readdirSync(out).filter((name) => name !== 'index.md')
  const nouns = [...new Set(titles.values())].map((title) => {
    const own = parts.filter(({ name }) => titleOf(titles, name) === title)
    return { title, file: `${title.toLowerCase().replaceAll(' ', '-')}.md`, own }
  })

  // Where each anchor of the page has gone.
  const places = new Map()
  for (const { file, own } of nouns) {
    const anchors = anchorsOf(own.map(({ text }) => text).join('\n'))
    const old = own.flatMap((part) => part.anchors)
    old.forEach((anchor, at) => places.set(anchor, { file, anchor: anchors[at] }))
    // Rows of tables have anchors of their own.
    for (const [, anchor] of own.flatMap(({ text }) => [...text.matchAll(/<a id="([^"]+)">/g)]))
      places.set(anchor, { file, anchor })
  }
  const linked = (text, from, pattern) =>
    text.replaceAll(pattern, (link, target) => {
      const place = places.get(target)
      if (!place) throw new Error(`${from}: ${link} leads to nothing that src/index.ts exports.`)
      return `](${place.file === from ? '' : place.file}#${place.anchor})`
    })

  for (const { title, file, own } of nouns) {
    // An export is one level below the title here.
    const sections = own.map((part) => part.text.replaceAll(/^#(?=##)/gm, ''))
    const text = `# ${title}\n\n${sections.join('\n\n***\n\n')}\n`
    writeFileSync(join(out, file), linked(text, file, /\]\(#([^)]+)\)/g))
  }
  const list = nouns.map(({ title, file }) => `  - [${title}](${file})\n`).join('')
  for (const name of others) {
    const text = readFileSync(join(out, name), 'utf8').replace(
      '- [index](index.md)\n',
      `- localpost\n${list}`,
    )
    writeFileSync(join(out, name), linked(text, name, /\]\(index\.md#([^)]+)\)/g))
  }
  rmSync(index)
}

/** The heading above each export of the main entry. */
function titlesByExport(source) {
  const titles = new Map()
  let title = ''
  for (const [, comment, names] of source.matchAll(/^\/\/ (.*)$|^export (?:type )?\{([^}]*)\}/gm)) {
    if (comment !== undefined) title = comment.replace(/:.*/, '')
    for (const name of names?.match(/\w+(?=\s*(?:,|$))/g) ?? []) titles.set(name, title)
  }
  return titles
}

function titleOf(titles, name) {
  const title = titles.get(name)
  if (title === undefined) throw new Error(`src/index.ts exports ${name} without a heading above it.`)
  return title
}

/** The exports on the page, in its order, with the anchors that their headings have there. */
function partsOf(page) {
  const anchors = anchorsOf(page)
  let count = 0
  return page.split(/^(?=#{2,3} )/m).flatMap((text) => {
    const own = anchors.slice(count, (count += headingsOf(text).length))
    const name = /^### (\w+)/.exec(text)?.[1]
    return name === undefined ? [] : [{ name, anchors: own, text: text.replace(/\s*(?:\*\*\*\s*)?$/, '') }]
  })
}

/** The anchors of the headings: a repeated one gets a number. */
function anchorsOf(markdown) {
  const seen = new Map()
  return headingsOf(markdown).map((heading) => {
    const anchor = heading
      .replaceAll(/[^\w\- ]/g, '')
      .toLowerCase()
      .replaceAll(' ', '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

const headingsOf = (markdown) =>
  [...markdown.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#{1,6} (.*)$/gm)].map(([, text]) => text)
