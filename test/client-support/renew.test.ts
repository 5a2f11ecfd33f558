import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'localpost-client-support-'))
afterAll(() => rmSync(folder, { recursive: true }))

const versions = {
  'apple-mail': { ios: { '2019-02': 'n', '15': 'y #1' } },
  hey: { webmail: { '2020-01': 'y' } },
}

it('writes the tables from the data of Can I email: newest versions, in the order of the file', () => {
  const source = join(folder, 'data.json')
  const target = join(folder, 'tables.json')
  const features = Array.from({ length: 50 }, (_, at) => ({
    slug: `css-${at}`,
    title: ` css ${at}`,
    category: 'css',
    stats: at === 0 ? versions : { 'apple-mail': versions['apple-mail'] },
  }))
  const names = { family: { 'apple-mail': 'Apple Mail' }, platform: { ios: 'iOS' } }
  // In an object of JavaScript the key 15 would come before the other.
  const json = JSON.stringify({ last_update_date: '2026-06-29T00:00:00', nicenames: names, data: features })
  writeFileSync(source, json.replaceAll('"15":"y #1","2019-02":"n"', '"2019-02":"n","15":"y #1"'))
  execFileSync(process.execPath, ['scripts/client-support.mjs', source, target], { stdio: 'pipe' })
  const { state, clients, features: written } = JSON.parse(readFileSync(target, 'utf8'))
  expect(state).toBe('2026-06-29')
  // HEY was tested for one feature only.
  expect(clients).toEqual({ 'apple-mail/ios': 'Apple Mail, iOS' })
  expect(written['css-0']).toEqual({ title: 'css 0', support: 'y' })
})
