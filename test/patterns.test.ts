import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/folder.ts'

// The check takes a few seconds of CPU time.
const timeout = 240_000

/** Runs the check over a folder with these files. */
function check(files: Record<string, string>): { status: number | null; output: string } {
  const folder = temporaryFolder()
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code)
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check-patterns.mjs', folder], {
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

it('the check of the patterns fails for each that takes more than linear time', { timeout }, () => {
  const slow = [
    String.raw`/\s*\/\s*/`,
    String.raw`/^bearer[ \t]+(\S.*?)[ \t]*$/i`,
    String.raw`/\ufffd+$/`,
    // More than one character is repeated: no search for the closing part may begin again at each opening one.
    String.raw`/<!--[^]*?-->/g`,
    String.raw`/, (.*)$/`,
    // Lookarounds, back references and groups with counts.
    String.raw`/url\(\s*["']?(?!\s*["']?#)/`,
    String.raw`/(?<=@\S*)x/`,
    String.raw`/(["'])[^]*?\1;/`,
    String.raw`/^(?:[a-z]{1,500}){2,}$/`,
    // Alternatives are judged one by one.
    String.raw`/ab|=+$/`,
  ]
  const { status, output } = check({ 'a.ts': slow.map((one) => `f(${one})`).join('\n') })
  expect(slow.filter((one) => !output.includes(one))).toEqual([])
  expect(output).toContain(`${slow.length} patterns, ${slow.length} problems`)
  expect(status).toBe(1)
})

it('the check of the patterns reads what is constructed, and components', { timeout }, () => {
  const { output } = check({
    'a.ts': "const end = '+$'\nconst slow = new RegExp(['x', `=${end}`].join('|'), 'g')",
    'b.ts': 'new RegExp(`${unknown}$`)',
    'c.vue':
      '<template><p v-if="/;+$/.test(text)" /></template><script setup lang="ts">const text = "x"</script>',
  })
  expect(output).toContain('/x|=+$/g')
  expect(output).toContain('new RegExp(`${unknown}$`) cannot be read')
  expect(output).toContain('/;+$/')
})

it('the check of the patterns accepts those that take linear time', { timeout }, () => {
  const fast = [
    String.raw`/^[^=]*=(?:["']\s*)?\d{1,400}$/`,
    String.raw`/<[^<>]+>/g`,
    String.raw`/(?<=@\S{1,255})\s/`,
    String.raw`/(["'])([^"'\n]*)\1/g`,
  ]
  expect(check({ 'a.ts': fast.map((one) => `f(${one})`).join('\n') })).toMatchObject({
    status: 0,
    output: `${fast.length} patterns, 0 problems\n`,
  })
})
