import vue from '@vitejs/plugin-vue'
import { defineConfig, type Plugin } from 'vite'

// A running `localpost`, for `vite ui`; it sees its own origin, as it refuses any other.
const target = process.env['LOCALPOST_URL'] ?? 'http://127.0.0.1:8025'

/** Lists the modules of the page, or of its workers, for the notices of the package; see scripts/notices.mjs. */
const listModules = (fileName: string): Plugin => ({
  name: 'list-modules',
  generateBundle(_, bundle) {
    const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    this.emitFile({ type: 'asset', fileName, source: JSON.stringify(ids) })
  },
})

// What the page loads first, what it fetches when it is idle, and the other rooms are one file each, instead of one for each
// part and for each module that parts share. A group takes what those before it left.
const groups: { name: string; tags?: '$initial'[]; test?: RegExp }[] = [
  { name: 'first', tags: ['$initial'] },
  {
    name: 'later',
    // Without the parts that are imported only when one is needed: to draw a picture of a mail, for a PDF file or a calendar,
    // in a search, for what marks a frame, and to sign in.
    test: /\/ui\/views\/inbox\/(?!picture\/draw|pdf\/|calendar|excerpts|frame-marks)|\/ui\/components\/(?!shell\/SignInForm)/,
  },
  { name: 'rooms', test: /\/ui\/views\/(?!inbox\/)/ },
]

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the built page works wherever the server puts it.
  base: './',
  plugins: [vue(), listModules('page-modules.json')],
  // No options API and no devtools in the built page: a tenth of its size.
  define: { __VUE_OPTIONS_API__: false },
  worker: { format: 'es', plugins: () => [listModules('worker-modules.json')] },
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // How long a plug-in took is of no use to a person who starts Localpost.
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: { codeSplitting: { groups } },
    },
  },
  server: { proxy: { '/dev': { target, changeOrigin: true, headers: { origin: target } } } },
})
